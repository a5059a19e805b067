import AnalogVideo
import AnalogVideoModel
import CProcessor

#if arch(x86_64)
    import AnalogVideoAVX2
#endif

/// The builds of the signal code, for processors that differ in what they can do at once.
public enum PlayerVariant: String, CaseIterable, Sendable {
    /// Runs on every processor of the architecture.
    case baseline
    /// Eight samples at once, multiplied and added in one rounding.
    case avx2

    /// Whether it was built at all.
    public var isForThisArchitecture: Bool {
        #if arch(x86_64)
            true
        #else
            self == .baseline
        #endif
    }

    /// Whether this processor can run it.
    public var isSupported: Bool {
        switch self {
        case .baseline: true
        case .avx2: cprocessor_is_x86_64_v3()
        }
    }

    /// The fastest one this processor can run; the environment variable `SWIFTVIDEO_PROCESSOR=baseline` forces that one.
    public static var best: PlayerVariant {
        avx2.isSupported && !cprocessor_is_held_to_baseline() ? avx2 : baseline
    }
}

/// Makes a player for pictures of `width` by `height` pixels; nil when there is no memory for them.
///
/// `pictureHeight` is the height of the whole picture, where the pictures played are single fields of it.
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
