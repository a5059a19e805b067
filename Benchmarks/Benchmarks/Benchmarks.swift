import AnalogVideoModel
import AnalogVideoPlayer

/// Prints the cost of `ntscfilter`'s signal path per pixel: in total, against its targets, and per stage.
///
///     swift run -c release Benchmarks [preset.json]
///     swift run -c release Benchmarks pool [speed|real [seconds]]
///     swift run -c release Benchmarks queue
///     swift run -c release Benchmarks sound
///     swift run -c release Benchmarks thermal [CLIP|overhead]
///
/// With `pool`, prints the savings and costs of `adaptivepool` instead: in a simulation, as the time per buffer
/// (`speed`), or under a load played in real time (`real`). `QueueBenchmark`, `SoundBenchmark` and `ThermalBenchmark`
/// describe `queue`, `sound` and `thermal`; `Benchmarks/looks` runs `looks`. `SWIFTVIDEO_PROCESSOR=baseline` measures the
/// build for processors without AVX2. Compare ratios within one run. Times of different runs differ, because machines
/// differ and are shared.
@main
enum Benchmarks {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let rest = Array(arguments.dropFirst())
        switch arguments.first {
        case "looks": try LookBenchmark.run(rest)
        case "pool": BufferPoolBenchmark.run(rest)
        case "queue": QueueBenchmark.run()
        case "sound": SoundBenchmark.run()
        case "thermal": ThermalBenchmark.run(rest.first)
        case let preset:
            let settings = try preset.map(readPreset) ?? NTSCSettings()
            SignalBenchmark(settings: settings, variant: .best).run()
        }
    }
}
