import AnalogVideo
import AnalogVideoModel

#if arch(x86_64)
    import AnalogVideoAVX2
    import AnalogVideoAVX512
#endif

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
