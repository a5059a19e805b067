import Foundation

/// Signal of a fake stream.
package enum TestSignal: Sendable, Equatable {
    /// A ramp in which each frame contains its index; see `RampSignal`.
    case ramp
    /// A sine in all channels, with a frequency relative to the sample rate and an amplitude from 0 to 1.
    case sine(cyclesPerSample: Double, amplitude: Double)
    case silence
    /// Frames of interleaved little-endian PCM with 16 bits in stereo, and silence before and after them.
    case recording([UInt8])
    /// The ramp of the virtual DAC, in which the index of a frame is the time at which it must be played.
    case playoutTime

    /// Sample of a channel, right-aligned in `bitDepth` bits and signed.
    package func sample(_ index: Int64, channel: Int, bitDepth: Int) -> Int32 {
        switch self {
        case .ramp: return RampSignal.sample(index, channel: channel, bitDepth: bitDepth)
        case .silence: return 0
        case .recording(let bytes):
            guard let place = Int(exactly: (index * 4) + Int64(channel * 2)), place >= 0, place + 1 < bytes.count else {
                return 0
            }
            return Int32(Int16(bitPattern: UInt16(bytes[place]) | (UInt16(bytes[place + 1]) << 8)))
        case .playoutTime: return PlayoutRamp.sample(index, channel: channel, bitDepth: bitDepth)
        case .sine(let cycles, let amplitude):
            let peak = Double((Int64(1) << Int64(bitDepth - 1)) - 1)
            return Int32((sin(2 * .pi * cycles * Double(index)) * amplitude * peak).rounded())
        }
    }

    /// Interleaved little-endian PCM of the frames in `range`.
    package func pcm(_ range: Range<Int64>, channels: Int, bitDepth: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count * channels * bitDepth / 8)
        for index in range {
            for channel in 0..<channels {
                let value = UInt32(bitPattern: sample(index, channel: channel, bitDepth: bitDepth))
                for byte in 0..<bitDepth / 8 { bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(8 * byte))) }
            }
        }
        return bytes
    }
}
