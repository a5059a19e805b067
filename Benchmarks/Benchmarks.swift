import AnalogVideoModel
import AnalogVideoPlayer

/// Prints how long `ntscfilter`'s signal path takes for a pixel: in all, and stage by stage.
///
///     swift run -c release Benchmarks [preset.json [baseline|avx2]]
///     swift run -c release Benchmarks pool [speed|real [seconds]]
///
/// With `pool`, prints instead what `adaptivepool` saves and costs: simulated, in speed, or in a load played for real.
/// Trust the ratios within one run and not the times: machines differ, and are shared.
@main
enum Benchmarks {
    static let sizes = [(640, 480), (1280, 720), (1920, 1080), (3840, 2160)]

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "pool" { return BufferPoolBenchmark.run(Array(arguments.dropFirst())) }
        var settings = NTSCSettings()
        if let path = arguments.first { settings = try readPreset(path) }
        let variant = arguments.dropFirst().first.flatMap(PlayerVariant.init) ?? .best

        print("ntscfilter, \(variant) build, BGRx, nanoseconds per pixel (medians)\n")
        print(column("", 26) + sizes.map { column("\($0.0)x\($0.1)") }.joined())
        let results = sizes.map { FrameBenchmark(width: $0.0, height: $0.1, settings, variant).run() }
        printRow("memcpy of the frame", results.map(\.copy))
        printRow("1 thread", results.map { $0.played[0] })
        printRow("2 threads", results.map { $0.played[1] })
        print(column("1 thread, frames/memcpy", 26) + results.map { column("\(Int($0.played[0] / $0.copy))") }.joined())
        print(
            column("speed-up by 2 threads", 26)
                + results.map { column(twoDigits($0.played[0] / $0.played[1])) }.joined())

        print("\nstage, 1 thread (walked one by one here; the element walks several together, so the sum is more)\n")
        let stages = sizes.map { StageBenchmark(width: $0.0, height: $0.1, settings, variant).run() }
        for stage in SignalStage.allCases { printRow("\(stage)", stages.map { $0[stage.rawValue] }) }
        printRow("sum", stages.map { $0.reduce(0, +) })
    }

    private static func printRow(_ name: String, _ nanoseconds: [Double]) {
        print(column(name, 26) + nanoseconds.map { column(twoDigits($0)) }.joined())
    }

    private static func column(_ text: String, _ width: Int = 12) -> String {
        let space = String(repeating: " ", count: max(0, width - text.count))
        return width > 12 ? text + space : space + text
    }

    private static func twoDigits(_ number: Double) -> String {
        let hundredths = Int((number * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
