import AnalogVideoModel
import AnalogVideoPlayer

/// Prints the cost of `ntscfilter`'s signal path per pixel: in total, against its targets, and per stage.
///
///     swift run -c release Benchmarks [preset.json]
///     swift run -c release Benchmarks pool [speed|real [seconds]]
///
/// With `pool`, prints the savings and costs of `adaptivepool` instead: in a simulation, as the time per buffer
/// (`speed`), or under a load played in real time (`real`). `SWIFTVIDEO_PROCESSOR=baseline` measures the build for
/// processors without AVX2. Compare ratios within one run. Times of different runs differ, because machines differ and
/// are shared.
@main
enum Benchmarks {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "pool" { return BufferPoolBenchmark.run(Array(arguments.dropFirst())) }
        var settings = NTSCSettings()
        if let path = arguments.first { settings = try readPreset(path) }
        SignalBenchmark(settings: settings, variant: .best).run()
    }
}
