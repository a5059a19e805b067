import AnalogVideoPlayer
import Testing

/// Tests the selection of a build for all processors and requests.
struct VariantChoiceTests {
    private static let processors: [[PlayerVariant]] = [[.baseline], [.baseline, .avx2], [.baseline, .avx2, .avx512]]

    @Test(arguments: processors, [false, true])
    func aSupportedBuildIsForced(supported: [PlayerVariant], hasFastAVX512: Bool) {
        for variant in supported {
            let choice = VariantChoice(
                request: variant.rawValue, supported: supported, hasFastAVX512: hasFastAVX512)
            #expect(choice.variant == variant && choice.refusedRequest == nil)
        }
    }

    @Test(arguments: processors, ["", "avx512", "avx2", "AVX2", "sse", " baseline"])
    func anotherRequestGivesTheFastestBuildAndIsReported(supported: [PlayerVariant], request: String) {
        guard !supported.contains(where: { $0.rawValue == request }) else { return }
        let choice = VariantChoice(request: request, supported: supported, hasFastAVX512: true)
        #expect(choice.variant == supported.last)
        #expect(choice.refusedRequest == (request.isEmpty ? nil : request))
    }

    @Test func slowAVX512IsNotChosen() {
        let choice = VariantChoice(request: "", supported: [.baseline, .avx2, .avx512], hasFastAVX512: false)
        #expect(choice.variant == .avx2 && choice.refusedRequest == nil)
    }

    @Test func theChoiceOfThisMachineIsSupported() {
        #expect(PlayerVariant.best.isSupported)
        #expect(PlayerVariant.best == PlayerVariant.choice.variant)
    }
}
