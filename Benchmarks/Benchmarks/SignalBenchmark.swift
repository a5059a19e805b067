import AnalogVideoModel
import AnalogVideoPlayer
import GStreamer
import NTSCFilter
import Threads

/// Cost of `ntscfilter`'s signal path: whole frames against their targets, and single stages.
struct SignalBenchmark {
    private static let sizes = [(640, 480), (1280, 720), (1920, 1080), (3840, 2160)]

    let settings: NTSCSettings
    let variant: PlayerVariant

    func run() {
        print("ntscfilter, \(variant.rawValue) build (medians; cycles by the clock measured meanwhile)")
        print("\(Clock.read().summary)\n")
        printFrames()
        printTargets()
        printFormats()
        printStages()
    }

    // MARK: Frames

    private func printFrames() {
        print(Table.left("BGRx", 26) + Self.sizes.map { Table.right("\($0.0)x\($0.1)") }.joined())
        let ways = [1, 2].map { FrameBenchmark.Way(settings: settings, threads: $0) }
        let results = Self.sizes.map { size in
            var benchmark = FrameBenchmark(width: size.0, height: size.1, ways, variant)
            return benchmark.run()
        }
        let pixels = Self.sizes.map { Double($0.0 * $0.1) }
        printRow("clock, GHz", results.map(\.gigahertz))
        printRow("memcpy, ns/pixel", results.map(\.copy))
        printRow("1 thread, ns/pixel", results.map { $0.played[0] })
        printRow("1 thread, cycles/pixel", results.map { $0.played[0] * $0.gigahertz })
        printRow("1 thread, ms", zip(results, pixels).map { $0.played[0] * $1 / 1e6 })
        printRow("2 threads, ms", zip(results, pixels).map { $0.played[1] * $1 / 1e6 })
        printRow("speed-up by 2 threads", results.map { $0.played[0] / $0.played[1] })
    }

    // MARK: Targets

    private func printTargets() {
        print("\n" + Table.left("target", 40) + Table.row("is", "target", "beyond"))
        var small = FrameBenchmark(
            width: 1920, height: 1080,
            [
                .init(), .init(threads: 2), .init(settings: Self.everything), .init(format: .nv12),
                .init(format: .nv12, threads: 2), .init(settings: Self.defaults(.pal)),
                .init(settings: Self.defaults(.secam)),
            ], variant)
        let hd = small.run()
        var large = FrameBenchmark(width: 3840, height: 2160, [.init(), .init(threads: 2)], variant)
        let uhd = large.run(repeats: 15)
        target("1920x1080, 1 thread, cycles/pixel", hd.played[0] * hd.gigahertz, 24, 18)
        target("1920x1080, 2 threads, ms", hd.played[1] * 1920 * 1080 / 1e6, 8.5, 6.5)
        target("3840x2160, 2 threads, ms", uhd.played[1] * 3840 * 2160 / 1e6, 36, 28)
        target("1920x1080 everything, cycles/pixel", hd.played[2] * hd.gigahertz, 34, 26)
        target("3840x2160, speed-up by 2 threads", uhd.played[0] / uhd.played[1], 1.9, 1.95)
        target("NV12 against BGRx, 1 thread", hd.played[3] / hd.played[0], 1.05, 0.9)
        target("NV12 against BGRx, 2 threads", hd.played[4] / hd.played[1], 1.05, 0.9)
        target("PAL against NTSC, 1 thread", hd.played[5] / hd.played[0], 1.3, 1.1)
        target("SECAM against NTSC, 1 thread", hd.played[6] / hd.played[0], 1.3, 1.1)
        target("memory at 3840x2160, 2 threads, MB", residentMegabytes(), 4, 2)
    }

    private func target(_ name: String, _ value: Double, _ target: Double, _ beyond: Double) {
        print(Table.left(name, 40) + Table.row(Table.digits(value), Table.digits(target), Table.digits(beyond)))
    }

    /// The default settings in another standard.
    private static func defaults(_ standard: TelevisionStandard) -> NTSCSettings {
        var settings = NTSCSettings()
        settings.standard = standard
        return settings
    }

    /// Settings of the golden test that enables every stage.
    private static var everything: NTSCSettings {
        let package = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        guard let settings = try? readPreset("/\(package)/Tests/Golden/presets/everything.json") else {
            fatalError("Tests/Golden/presets/everything.json is missing.")
        }
        return settings
    }

    /// Resident memory in MB of a player that processes NV12 with two threads, including their stacks.
    private func residentMegabytes() -> Double {
        var picture = TestPicture(width: 3840, height: 2160, .nv12)
        let before = residentPages()
        guard let player = makePlayer(width: 3840, height: 2160, variant: variant) else { return 0 }
        let team = TaskTeam(members: 2)
        player.reserve(bands: 2)
        for frame in 0..<3 {
            picture.play(on: player, frame: frame, NTSCSettings(), bands: 2, team)
        }
        let after = residentPages()
        team.close()
        return Double(after - before) * 4096 / 1e6
    }

    private func residentPages() -> Int {
        let text = (try? SmallFile.read("/proc/self/statm", atMost: 4096)).map { String(decoding: $0, as: UTF8.self) }
        return text.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
    }

    // MARK: Formats

    private func printFormats() {
        print("\n1920x1080, 1 thread, against BGRx\n")
        let formats: [PixelFormat] = [.bgrx, .rgb, .argb64] + PixelFormat.allYUV
        var benchmark = FrameBenchmark(
            width: 1920, height: 1080, formats.map { .init(format: $0, settings: settings) }, variant)
        let result = benchmark.run(repeats: 9)
        for (format, time) in zip(formats, result.played) {
            printRow(format.rawValue, [time / result.played[0]])
        }
    }

    // MARK: Stages

    private func printStages() {
        print(
            "\nstage, 1 thread, ns/pixel, last cycles/pixel (each stage is measured alone; the element combines "
                + "several in one pass, so the sum is higher)\n")
        let clock = Clock.gigahertz()
        let stages = Self.sizes.map { StageBenchmark(width: $0.0, height: $0.1, settings, variant).run() }
        for stage in SignalStage.allCases {
            let times = stages.map { $0[stage.rawValue] }
            printRow("\(stage)", times + [(times.last ?? 0) * clock])
        }
        let sums = stages.map { $0.reduce(0, +) }
        printRow("sum", sums + [(sums.last ?? 0) * clock])
    }

    private func printRow(_ name: String, _ numbers: [Double]) {
        print(Table.left(name, 26) + numbers.map { Table.right(Table.digits($0)) }.joined())
    }
}
