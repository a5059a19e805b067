import AnalogVideoModel
import GStreamer

/// Numbers the frames of a stream: by their PTS and the framerate, or else by counting.
struct FrameCounter {
    /// The number of the next buffer if it has no PTS.
    private var buffersCounted: UInt64 = 0

    mutating func skip() { buffersCounted &+= 1 }

    mutating func number(of frame: borrowing VideoFrame) -> UInt64 {
        let rate = frame.format.framerate
        // Two fields that come one by one are one frame.
        let buffersPerFrame: UInt64 = frame.format.interlaceMode == .alternate ? 2 : 1
        let timed = frame.pts.flatMap {
            FrameNumber.at(nanoseconds: $0, rateNumerator: rate.numerator, rateDenominator: rate.denominator)
        }
        let counted = timed.map { $0 &* buffersPerFrame } ?? buffersCounted
        buffersCounted = counted &+ 1
        return counted / buffersPerFrame
    }
}
