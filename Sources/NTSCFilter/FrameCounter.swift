import AnalogVideoModel
import GStreamer

/// Numbers the frames of a stream by PTS and framerate; without either of them, it counts buffers.
struct FrameCounter {
    /// The number of the next buffer if it has no PTS.
    private var buffersCounted: UInt64 = 0

    mutating func skip() { buffersCounted &+= 1 }

    mutating func number(of frame: borrowing VideoFrame) -> UInt64 {
        let rate = frame.format.framerate
        // With `interlace-mode=alternate`, each buffer has one of the two fields of a frame.
        let buffersPerFrame: UInt64 = frame.format.interlaceMode == .alternate ? 2 : 1
        let timed = frame.pts.flatMap {
            FrameNumber.at($0, rateNumerator: rate.numerator, rateDenominator: rate.denominator)
        }
        let counted = timed.map { $0 &* buffersPerFrame } ?? buffersCounted
        buffersCounted = counted &+ 1
        return counted / buffersPerFrame
    }
}
