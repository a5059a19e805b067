import CSystem

/// Builds of the signal code for different instruction sets, the slowest first.
public enum PlayerVariant: String, CaseIterable, Sendable {
    /// Runs on every processor of the architecture.
    case baseline
    /// Requires AVX2 and FMA: eight samples per instruction, and fused multiply-add.
    case avx2
    /// Requires AVX-512 with the subsets of x86-64-v4: sixteen samples per instruction, and 32 registers.
    case avx512

    /// Whether the processor supports the instructions of this build.
    public var isSupported: Bool {
        switch self {
        case .baseline: true
        case .avx2: cprocessor_is_x86_64_v3()
        case .avx512: cprocessor_is_x86_64_v4()
        }
    }

    /// The build that `choice` selects.
    public static var best: PlayerVariant { choice.variant }

    /// Choice for this processor and the environment variable `SWIFTVIDEO_PROCESSOR`.
    public static var choice: VariantChoice {
        let request = unsafe cprocessor_requested_build().map { unsafe String(cString: $0) }
        return VariantChoice(
            request: request ?? "", supported: allCases.filter(\.isSupported),
            hasFastAVX512: cprocessor_has_fast_avx512())
    }
}
