import AnalogVideoModel
import Foundation
import GstTestSupport

/// A frame of the reference, which a line of `Tests/Golden/manifest.json` describes.
struct GoldenFrame: Decodable, Sendable, CustomStringConvertible {
    let preset, input, output, format, interlace: String
    let width, height: Int
    let frame: UInt64

    static let folder = Setup.package.appending(path: "Tests/Golden")

    /// The frames in formats of GStreamer, which has no floating-point format.
    static let all: [GoldenFrame] = {
        let manifest = (try? Data(contentsOf: folder.appending(path: "manifest.json"))) ?? Data()
        let frames = (try? JSONDecoder().decode([GoldenFrame].self, from: manifest)) ?? []
        return frames.filter { $0.format != "rgb_f32" }
    }()

    var description: String { output }

    var pixelFormat: PixelFormat {
        switch format {
        case "bgrx": .bgrx
        case "xbgr": .xbgr
        case "rgb": .rgb
        case "xrgb16": .argb64LE
        default: .rgbx
        }
    }

    func inputPicture() throws -> TestPicture { try picture(input) }
    func outputPicture() throws -> TestPicture { try picture(output) }
    var presetFile: URL { Self.folder.appending(path: preset) }

    /// Reads a file, whose rows have no padding.
    private func picture(_ path: String) throws -> TestPicture {
        TestPicture(
            [UInt8](try Data(contentsOf: Self.folder.appending(path: path))), pixelFormat, width: width,
            height: height, stride: width * pixelFormat.bytesPerPixel)
    }

    /// The timestamp of the frame, at 30 frames per second.
    var pts: UInt64 { frame * 1_000_000_000 / 30 }

    /// The fields of the caps for `interlace`.
    var interlaceCaps: String {
        switch interlace {
        case "tff": "framerate=30/1,interlace-mode=interleaved,field-order=top-field-first"
        case "bff": "framerate=30/1,interlace-mode=interleaved,field-order=bottom-field-first"
        case "top", "bottom": "framerate=30/1,interlace-mode=interleaved"
        default: "framerate=30/1"
        }
    }

    /// The buffer flags for `interlace`.
    var flags: UInt32 {
        switch interlace {
        case "top": FieldFlags.oneField | FieldFlags.topFirst
        case "bottom": FieldFlags.oneField
        default: 0
        }
    }
}

/// The difference of two pictures, in 8-bit codes even for 16-bit samples.
struct Difference {
    private(set) var largest = 0
    private(set) var samples = 0
    private(set) var differing = 0

    init(_ one: TestPicture, _ other: TestPicture, isDeep: Bool) {
        let code = isDeep ? 257 : 1
        samples = one.colour.count
        for (a, b) in zip(one.colour, other.colour) {
            let distance = abs(Int(a) - Int(b))
            largest = max(largest, (distance + code - 1) / code)
            if distance >= code { differing += 1 }
        }
    }

    /// Whether at most 0.02 % of the samples, or one sample of a small frame, differ, and these by one code at most.
    var passes: Bool { largest <= 1 && differing <= max(1, samples / 5_000) }
}
