import AnalogVideo
import AnalogVideoModel
import CProcessor

#if arch(x86_64)
    import AnalogVideoAVX2
#endif

/// The builds of the signal code for different instruction sets.
public enum PlayerVariant: String, CaseIterable, Sendable {
    /// Runs on every processor of the architecture.
    case baseline
    /// Requires AVX2 and FMA: eight samples per instruction, and fused multiply-add.
    case avx2

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
        }
    }

    /// The fastest supported build, or the baseline if the environment has `SWIFTVIDEO_PROCESSOR=baseline`.
    public static var best: PlayerVariant {
        avx2.isSupported && !cprocessor_is_held_to_baseline() ? avx2 : baseline
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
    #endif
    let player = AnalogVideo.Player(width: width, height: height, pictureHeight: pictureHeight ?? height)
    player?.probe = probe
    return player
}
