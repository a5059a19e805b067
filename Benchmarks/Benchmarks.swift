import AnalogVideoModel
import AnalogVideoPlayer

/// Prints what `ntscfilter`'s signal path costs for a pixel: in all, against its targets, and stage by stage.
///
///     swift run -c release Benchmarks [preset.json]
///     swift run -c release Benchmarks pool [speed|real [seconds]]
///
/// With `pool`, prints instead what `adaptivepool` saves and costs: simulated, in speed, or in a load played for real.
/// `SWIFTVIDEO_PROCESSOR=baseline` measures the build for other processors.
/// Trust the ratios within one run and not the times: machines differ, and are shared.
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
