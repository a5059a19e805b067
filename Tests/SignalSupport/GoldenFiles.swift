import AnalogVideoModel
import Foundation

/// The golden frames, which were computed by the reference; see `Tests/Golden/README.md`.
package enum GoldenFiles {
    package static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Golden")

    package static func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appendingPathComponent(path)))
    }

    /// Reads numbers of 32-bit little-endian floating point.
    package static func floats(_ path: String) throws -> [Float] {
        let bytes = try bytes(path)
        return stride(from: 0, to: bytes.count - 3, by: 4).map { start in
            Float(bitPattern: (0..<4).reduce(0) { $0 | (UInt32(bytes[start + $1]) << UInt32($1 * 8)) })
        }
    }

    /// One entry of the manifest.
    package struct Frame: Decodable, Sendable, CustomStringConvertible {
        package let preset: String
        package let input: String
        package let output: String
        package let width: Int
        package let height: Int
        package let frame: UInt64
        package let format: String
        package let interlace: String

        package var description: String { output }

        /// Nil for formats that GStreamer does not have.
        package var pixelFormat: PixelFormat? {
            switch format {
            case "rgbx": .rgbx
            case "bgrx": .bgrx
            case "xbgr": .xbgr
            case "rgb": .rgb
            case "xrgb16": .argb64LE
            default: nil
            }
        }

        package var scan: Scan {
            switch interlace {
            case "tff": .interlaced(topFieldFirst: true)
            case "bff": .interlaced(topFieldFirst: false)
            case "top": .oneField(isTop: true)
            case "bottom": .oneField(isTop: false)
            default: .progressive
            }
        }
    }

    /// The frames in formats of GStreamer; those in floating point are left out.
    package static let frames: [Frame] = {
        let all = (try? JSONDecoder().decode([Frame].self, from: Data(bytes("manifest.json")))) ?? []
        return all.filter { $0.pixelFormat != nil }
    }()

    /// All presets of the golden frames.
    package static let presets = Set(frames.map(\.preset)).sorted()

    package static func settings(_ path: String) throws -> NTSCSettings { try NTSCSettings(presetJSON: bytes(path)) }
}
