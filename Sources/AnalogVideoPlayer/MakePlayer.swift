import AnalogVideo
import AnalogVideoModel
import CProcessor

#if arch(x86_64)
    import AnalogVideoAVX2
    import AnalogVideoAVX512
#endif

/// The builds of the signal code for different instruction sets.
public enum PlayerVariant: String, CaseIterable, Sendable {
    /// Runs on every processor of the architecture.
    case baseline
    /// Requires AVX2 and FMA: eight samples per instruction, and fused multiply-add.
    case avx2
    /// Requires AVX-512 with the subsets of x86-64-v4: sixteen samples per instruction, and 32 registers.
    case avx512

    /// Whether this build exists for the architecture.
    public var isForThisArchitecture: Bool {
        #if arch(x86_64)
            true
        #else
            self == .baseline
        #endif
    }

    /// Whether the processor supports the instructions of this build.
    public var isSupported: Bool {
        switch self {
        case .baseline: true
        case .avx2: cprocessor_is_x86_64_v3()
        case .avx512: cprocessor_is_x86_64_v4()
        }
    }

    /// The supported build that the environment variable `SWIFTVIDEO_PROCESSOR` names, else the fastest one.
    public static var best: PlayerVariant {
        allCases.first { unsafe cprocessor_is_chosen($0.rawValue) && $0.isSupported } ?? fastest
    }

    /// AVX-512 is slower than AVX2 on processors that lower their clock for it; see `cprocessor_has_fast_avx512`.
    private static var fastest: PlayerVariant {
        if avx512.isSupported && cprocessor_has_fast_avx512() { return avx512 }
        return avx2.isSupported ? avx2 : baseline
    }
}

/// Creates a player for pictures of `width` by `height` pixels; returns nil if memory is refused.
///
/// `pictureHeight` is the height of the whole picture if the player receives single fields.
public func makePlayer(
    width: Int, height: Int, pictureHeight: Int? = nil, variant: PlayerVariant = .best, probe: StageProbe? = nil
) -> NTSCPlayer? {
    #if arch(x86_64)
        if variant == .avx2 && variant.isSupported {
            let player = AnalogVideoAVX2.Player(
                width: width, height: height, pictureHeight: pictureHeight ?? height)
            player?.probe = probe
            return player
        }
        if variant == .avx512 && variant.isSupported {
            let player = AnalogVideoAVX512.Player(
                width: width, height: height, pictureHeight: pictureHeight ?? height)
            player?.probe = probe
            return player
        }
    #endif
    let player = AnalogVideo.Player(width: width, height: height, pictureHeight: pictureHeight ?? height)
    player?.probe = probe
    return player
}
