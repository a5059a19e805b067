import AnalogVideoModel
import Glibc
import JSON

/// The golden frames of the reference, and those of the model in NumPy; see `Tests/Golden/README.md`.
///
/// This file does not import Foundation, because `plugin-build/arm64` cannot import it.
package enum GoldenFiles {
    /// The path of `Tests/Golden`, with a slash at its end.
    private static let folder = #filePath.split(separator: "/").dropLast(2).reduce("/") { "\($0)\($1)/" } + "Golden/"

    package static func bytes(_ path: String) throws -> [UInt8] {
        guard let file = unsafe fopen(folder + path, "r") else { throw MissingFile(path: folder + path) }
        defer { unsafe fclose(file) }
        unsafe fseek(file, 0, SEEK_END)
        let count = unsafe ftell(file)
        unsafe rewind(file)
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, read in
            read = unsafe fread(bytes.baseAddress, 1, count, file)
        }
    }

    private struct MissingFile: Error { let path: String }

    /// Reads numbers of 32-bit little-endian floating point.
    package static func floats(_ path: String) throws -> [Float] {
        let bytes = try bytes(path)
        return stride(from: 0, to: bytes.count - 3, by: 4).map { start in
            Float(bitPattern: (0..<4).reduce(0) { $0 | (UInt32(bytes[start + $1]) << UInt32($1 * 8)) })
        }
    }

    /// A golden frame that the manifest describes.
    package struct Frame: Sendable, CustomStringConvertible {
        package let preset: String
        package let input: String
        package let output: String
        package let width: Int
        package let height: Int
        package let frame: UInt64
        package let format: String
        package let interlace: String

        fileprivate init(_ entry: JSONValue) {
            func value(_ name: String) -> JSONValue? {
                if case .object(let members) = entry { members[name] } else { nil }
            }
            func text(_ name: String) -> String {
                if case .string(let text)? = value(name) { text } else { "" }
            }
            func number(_ name: String) -> Int {
                if case .number(let number)? = value(name) { Int(number.integer ?? 0) } else { 0 }
            }
            (preset, input, output) = (text("preset"), text("input"), text("output"))
            (width, height, frame) = (number("width"), number("height"), UInt64(number("frame")))
            (format, interlace) = (text("format"), text("interlace"))
        }

        package var description: String { output }

        /// The pixel format; nil for formats that GStreamer does not have.
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

    /// The frames in formats of GStreamer, so without frames in floating point.
    package static let frames = read("manifest.json") + read("standards.json")

    private static func read(_ manifest: String) -> [Frame] {
        guard let bytes = try? bytes(manifest), case .array(let entries)? = try? JSONValue(parsing: bytes) else {
            return []
        }
        return entries.map(Frame.init).filter { $0.pixelFormat != nil }
    }

    /// All presets of the golden frames.
    package static let presets = Set(frames.map(\.preset)).sorted()

    package static func settings(_ path: String) throws -> NTSCSettings { try NTSCSettings(presetJSON: bytes(path)) }
}
