import AnalogVideoModel
import AnalogVideoPlayer

// The libraries for arm64 of plugin-build/arm64 have neither Foundation nor Dispatch.
#if canImport(Foundation)
    import Dispatch
#endif
#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Plays frames through the signal path of `ntscfilter` and prints the cost of a frame; `Benchmarks/speed` runs it.
///
///     SpeedBenchmark VARIANT FORMAT WIDTHxHEIGHT default|pal|secam|preset.json THREADS FRAMES
///
/// The output is the processor time and the time per pixel in ns, each of the fastest frame, and a hash of the last
/// frame. The program is compiled with two states of the other sources, so it uses little of their interface.
@main
enum SpeedBenchmark {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 7, let format = PixelFormat(rawValue: arguments[2]),
            let threads = Int(arguments[5]), let frames = Int(arguments[6])
        else { throw Failure.usage }
        // If the sources or the processor lack this build, the program prints nothing.
        guard let variant = PlayerVariant(rawValue: arguments[1]), variant.isSupported else { return }
        let size = arguments[3].split(separator: "x").compactMap { Int($0) }
        guard size.count == 2, let player = makePlayer(width: size[0], height: size[1], variant: variant) else {
            throw Failure.usage
        }
        var settings = NTSCSettings()
        if let standard = TelevisionStandard.allCases.first(where: { $0.nick == arguments[4] }) {
            settings.standard = standard
        } else if arguments[4] != "default" {
            settings = try Preset(json: bytes(ofFile: arguments[4])).settings
        }
        player.reserve(bands: threads)
        var frame = Frame(format, width: size[0], height: size[1])
        var least = (processor: Double.infinity, time: Double.infinity)
        // The first frame is not measured, because it allocates memory.
        for number in 0...frames {
            let start = (processorTime(), ContinuousClock.now)
            frame.play(on: player, number, settings, threads)
            guard number > 0 else { continue }
            least.processor = min(least.processor, processorTime() - start.0)
            least.time = min(least.time, (ContinuousClock.now - start.1) / .nanoseconds(1))
        }
        let pixels = Double(size[0] * size[1])
        print(least.processor / pixels, least.time / pixels, String(frame.hash, radix: 16))
    }

    enum Failure: Error { case usage, noFile }

    private static func bytes(ofFile path: String) throws -> [UInt8] {
        guard let file = unsafe fopen(path, "r") else { throw Failure.noFile }
        defer { unsafe fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = unsafe fgetc(file), byte != EOF { bytes.append(UInt8(byte)) }
        return bytes
    }

    /// Processor time of all threads, in ns.
    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}

/// A picture that is played again and again, in place.
private struct Frame {
    private let layout: PictureLayout
    private var planes: [[UInt8]]

    init(_ format: PixelFormat, width: Int, height: Int) {
        let strides = (0..<3).map { format.rowBytes(ofPlane: $0, width: width) ?? 0 }
        layout = PictureLayout(
            format: format, width: width, height: height, planes: InlineArray { PlaneLayout(stride: strides[$0]) })
        planes = (0..<3).map { plane in
            let count = strides[plane] * format.rows(ofPlane: plane, height: height)
            return (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 31) &+ (($0 >> 9) &* 7)) }
        }
    }

    mutating func play(on player: NTSCPlayer, _ number: Int, _ settings: NTSCSettings, _ threads: Int) {
        var (first, second, third) = (planes[0], planes[1], planes[2])
        planes = []
        var plane = first.mutableSpan
        var plane1 = second.mutableSpan
        var plane2 = third.mutableSpan
        let isPlayed = player.play(
            &plane, &plane1, &plane2, layout: layout, frame: UInt64(number), scan: .progressive, settings: settings,
            bands: threads, runner: Runner())
        precondition(isPlayed, "The player refused the picture.")
        planes = [first, second, third]
    }

    /// FNV-1a hash of all planes.
    var hash: UInt64 {
        planes.joined().reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}

/// Runs the bands concurrently, or on one thread if there is no Dispatch.
private struct Runner: BandRunner {
    func run(_ work: BandWork, bands: Int) {
        guard bands > 1 else { return work.perform(band: 0) }
        #if canImport(Foundation)
            nonisolated(unsafe) let work = work
            DispatchQueue.concurrentPerform(iterations: bands) { unsafe work.perform(band: $0) }
        #else
            for band in 0..<bands { work.perform(band: band) }
        #endif
    }
}
