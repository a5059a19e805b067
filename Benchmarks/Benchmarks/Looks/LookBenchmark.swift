import AnalogVideoModel
import Foundation
import SignalSupport

/// Prints what the presets of `ntscfilter` do to some frames, as tables; `Benchmarks/looks` runs it.
///
///     Benchmarks looks FILE WIDTHxHEIGHT FRAMES
///
/// The file contains frames in RGBx without padding; each one is `FRAMES` frames after the previous one.
enum LookBenchmark {
    static func run(_ arguments: [String]) throws {
        guard arguments.count == 3, let step = UInt64(arguments[2]) else { throw Failure.usage }
        let size = arguments[1].split(separator: "x").compactMap { Int($0) }
        guard size.count == 2, size.min() ?? 0 > 0 else { throw Failure.usage }
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: arguments[0])))
        let frameBytes = size[0] * size[1] * 4
        let pictures = stride(from: 0, to: bytes.count, by: frameBytes).enumerated().compactMap { number, start in
            LookPicture(width: size[0], height: size[1], bytes: Array(bytes[start...].prefix(frameBytes)))
                .map { (frame: UInt64(number) * step, picture: $0) }
        }
        guard !pictures.isEmpty, pictures.count * frameBytes == bytes.count else { throw Failure.incompleteFrame }
        guard let figures = LookFigures.all(Look.all, of: pictures) else { throw Failure.noMemory }
        print("| preset | saturation | edge energy | most similar preset | without noise |\n|---|---|---|---|---|")
        for look in figures {
            print(
                "| `\(look.name)` | \(hundredths(look.saturation)) | \(hundredths(look.edges)) "
                    + "| \(cell(look.nearest)) | \(cell(look.nearestFilters)) |")
        }
        let tapes = ["vhs-sp", "vhs-lp", "vhs-ep"]
        print("\n| without noise, dB | `vhs-lp` | `vhs-ep` |\n|---|---|---|")
        for look in figures where tapes.dropLast().contains(look.name) {
            let cells = tapes.dropFirst().map { look.filterDecibels[$0].map(tenths) ?? "" }
            print("| `\(look.name)` | \(cells.joined(separator: " | ")) |")
        }
        printDisplacements()
    }

    private static func printDisplacements() {
        let edges = [(854, 480), (1280, 720), (1920, 1080), (3840, 2160)].compactMap {
            ColourEdge(width: $0, height: $1)
        }
        print("\n| colour to the right, % of the width | 480 rows | 720 | 1080 | 2160 |\n|---|---|---|---|---|")
        for look in Look.all {
            // Adding 0 removes the sign of a negative zero.
            let cells = edges.compactMap { $0.displacement(by: look.settings) }
                .map { tenths(($0 * 1000).rounded() / 10 + 0) }
            // A preset without colour has no displacement.
            guard cells.count == edges.count else { continue }
            print("| `\(look.name)` | \(cells.joined(separator: " | ")) |")
        }
    }

    private static func cell(_ nearest: (name: String, decibels: Double)?) -> String {
        nearest.map { "`\($0.name)`, \(tenths($0.decibels)) dB" } ?? ""
    }

    private static func tenths(_ number: Double) -> String { String(format: "%.1f", number) }

    private static func hundredths(_ number: Double) -> String { String(format: "%.2f", number) }

    enum Failure: Error { case usage, incompleteFrame, noMemory }
}
