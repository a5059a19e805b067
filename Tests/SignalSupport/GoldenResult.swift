import AnalogVideoModel
import AnalogVideoPlayer

/// The comparison of a golden frame with the result of a build of the signal code.
package struct GoldenResult: Sendable {
    /// The largest difference of two samples, in codes.
    package private(set) var largest = 0
    /// The number of samples that differ; 0 for 16-bit formats, in which all may differ.
    package private(set) var differing = 0
    /// The number of samples that were compared.
    package private(set) var samples = 0
    private let variant: PlayerVariant
    private let isOf16Bits: Bool

    /// Whether the result is within the limits of docs/NTSC.md, "Reference and exactness".
    package var isWithinLimits: Bool {
        let share = variant.hasFusedMultiplyAdd ? 5_000 : 2_000
        // In the smallest frames, one sample that differs already exceeds the share, so one sample is always permitted.
        return largest <= (isOf16Bits ? 4 : 1) && differing <= max(1, samples / share)
    }

    /// Plays the input of a golden frame; nil if memory is refused or the format is not one of GStreamer.
    package init?(_ golden: GoldenFiles.Frame, _ variant: PlayerVariant) throws {
        guard let format = golden.pixelFormat, let played = try golden.played(variant) else { return nil }
        self.variant = variant
        isOf16Bits = format.bytesPerPixel == 8
        compare(played, try GoldenFiles.bytes(golden.output), format)
    }

    private mutating func compare(_ played: [UInt8], _ expected: [UInt8], _ format: PixelFormat) {
        if isOf16Bits {
            for index in stride(from: 0, to: played.count, by: 2) where index % 8 != 0 {
                let (one, other) = (Self.word(played, index), Self.word(expected, index))
                samples += 1
                largest = max(largest, abs(one - other))
            }
            return
        }
        let padding: Int? =
            switch format {
            case .rgbx, .bgrx: 3
            case .xbgr: 0
            default: nil
            }
        for index in played.indices where padding == nil || index % 4 != padding {
            samples += 1
            largest = max(largest, abs(Int(played[index]) - Int(expected[index])))
            if played[index] != expected[index] { differing += 1 }
        }
    }

    private static func word(_ bytes: [UInt8], _ index: Int) -> Int { Int(bytes[index]) + (Int(bytes[index + 1]) << 8) }
}

extension GoldenFiles.Frame {
    /// The input after the signal path.
    package func played(_ variant: PlayerVariant) throws -> [UInt8]? {
        guard let format = pixelFormat, let player = makePlayer(width: width, height: height, variant: variant) else {
            return nil
        }
        var pixels = try GoldenFiles.bytes(input)
        let layout = PictureLayout(
            format: format, width: width, height: height, stride: width * format.bytesPerPixel)
        var span = pixels.mutableSpan
        let isPlayed = player.play(
            &span, layout: layout, frame: frame, scan: scan, settings: try GoldenFiles.settings(preset), bands: 1,
            runner: SerialRunner())
        return isPlayed ? pixels : nil
    }
}

extension PlayerVariant {
    /// Whether the build uses fused multiply-add like the reference; on Arm, the baseline uses it too.
    package var hasFusedMultiplyAdd: Bool {
        #if arch(x86_64)
            self != .baseline
        #else
            true
        #endif
    }
}
