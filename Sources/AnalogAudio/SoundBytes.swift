/// Layout of samples in memory: frames of interleaved channels.
public struct SoundLayout: Sendable, Equatable {
    /// Type of a sample, in the byte order of the processor.
    public enum Sample: Sendable {
        /// 32-bit floating point; full scale is 1.
        case float32
        /// 16-bit integer; full scale is 32,768.
        case int16
    }

    /// Frames per second.
    public let rate: Int
    /// Number of channels.
    public let channels: Int
    /// Type of a sample.
    public let sample: Sample

    /// A layout with at least one frame per second and one channel.
    public init(rate: Int, channels: Int, sample: Sample) {
        (self.rate, self.channels, self.sample) = (max(1, rate), max(1, channels), sample)
    }

    /// Number of bytes of a frame.
    public var bytesInFrame: Int { channels * (sample == .float32 ? 4 : 2) }

    /// The largest magnitude that is processed; values without a meaning must not reach the filters.
    private static let largest = 256.0

    /// Loads two channels, or one and zeros, of the frames from `frame` on to a range of samples.
    func load(
        _ bytes: borrowing MutableRawSpan, _ frame: Int, _ range: Range<Int>, channel: Int, to samples: inout [Pair]
    ) {
        let isWhole = channel + 1 < channels
        for index in range {
            let place = frame + (index - range.lowerBound)
            samples[index] = Pair(
                load(bytes, frame: place, channel: channel),
                isWhole ? load(bytes, frame: place, channel: channel + 1) : 0)
        }
    }

    /// Stores a range of samples to two channels, or to one, of the frames from `frame` on.
    func store(_ samples: [Pair], _ range: Range<Int>, channel: Int, in bytes: inout MutableRawSpan, _ frame: Int) {
        let isWhole = channel + 1 < channels
        for index in range {
            let place = frame + (index - range.lowerBound)
            store(samples[index].x, in: &bytes, frame: place, channel: channel)
            if isWhole { store(samples[index].y, in: &bytes, frame: place, channel: channel + 1) }
        }
    }

    /// A sample of a frame; 0 if it is not a number or infinite.
    @inline(__always)
    private func load(_ bytes: borrowing MutableRawSpan, frame: Int, channel: Int) -> Double {
        let offset = (frame &* channels) &+ channel
        switch sample {
        case .int16:
            return Double(unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset &* 2, as: Int16.self)) / 32_768
        case .float32:
            let value = Double(unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset &* 4, as: Float.self))
            return value.isFinite ? min(max(value, -Self.largest), Self.largest) : 0
        }
    }

    /// Stores a sample, or 0 if it is not a finite number; an integer is rounded to the nearest and limited.
    @inline(__always)
    private func store(_ value: Double, in bytes: inout MutableRawSpan, frame: Int, channel: Int) {
        let offset = (frame &* channels) &+ channel
        switch sample {
        case .int16:
            let scaled =
                value.isFinite ? min(max((value * 32_768).rounded(.toNearestOrEven), -32_768), 32_767) : 0
            bytes.storeBytes(of: Int16(scaled), toByteOffset: offset &* 2, as: Int16.self)
        case .float32:
            let number = Float(value)
            bytes.storeBytes(of: number.isFinite ? number : 0, toByteOffset: offset &* 4, as: Float.self)
        }
    }
}
