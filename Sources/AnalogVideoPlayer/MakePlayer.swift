import AnalogVideo
import AnalogVideoModel

#if arch(x86_64)
    import AnalogVideoAVX2
    import AnalogVideoAVX512
#endif

/// Creates a player for pictures of `width` by `height` pixels; nil if there is no memory.
///
/// `pictureHeight` is the height of the whole picture if the player receives single fields.
public func makePlayer(
    width: Int, height: Int, pictureHeight: Int? = nil, variant: PlayerVariant = .best, probe: StageProbe? = nil
) -> NTSCPlayer? {
    let player: NTSCPlayer?
    let pictureHeight = pictureHeight ?? height
    #if arch(x86_64)
        switch variant {
        case .avx2 where variant.isSupported:
            player = AnalogVideoAVX2.Player(width: width, height: height, pictureHeight: pictureHeight)
        case .avx512 where variant.isSupported:
            player = AnalogVideoAVX512.Player(width: width, height: height, pictureHeight: pictureHeight)
        default: player = AnalogVideo.Player(width: width, height: height, pictureHeight: pictureHeight)
        }
    #else
        player = AnalogVideo.Player(width: width, height: height, pictureHeight: pictureHeight)
    #endif
    player?.probe = probe
    return player
}
