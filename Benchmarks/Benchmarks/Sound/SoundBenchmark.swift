import AnalogAudio
import Foundation
import SignalSupport

/// Speed of the sound of `tapeaudio` on one core, in multiples of real time, and against its target.
///
/// The times of all rows are measured by turns; a row is the least of them. Only the ratios compare with other machines.
struct SoundBenchmark {
    private static let turns = 7
    private static let seconds = 4
    /// Multiple of real time that the default settings must reach for two channels at 48 kHz.
    private static let target = 200.0

    private struct Row {
        let name: String
        var settings = TapeSettings()
        var rate = 48_000
        var channels = 2
        var least = Double.infinity

        /// Processor time for some seconds of sound, in seconds.
        func measured() -> Double {
            var player = TapePlayer(SoundLayout(rate: rate, channels: channels, sample: .float32))
            player.begin(at: 0, settings)
            let count = rate / 50 * channels
            var samples = (0..<count).map { sin(Float($0) * 0.1) * 0.3 }
            let start = processorTime()
            for _ in 0..<SoundBenchmark.seconds * 50 {
                samples.withUnsafeMutableBytes {
                    var bytes = $0.mutableBytes
                    player.play(&bytes, settings)
                }
            }
            return processorTime() - start
        }
    }

    static func run() {
        var settings = TapeSettings()
        var rows = [Row(name: "default")]
        settings.track = .hiFi
        rows.append(Row(name: "hi-fi", settings: settings))
        settings.dropOuts = .off
        rows.append(Row(name: "hi-fi, no drop-outs", settings: settings))
        settings = TapeSettings()
        settings.generations = 8
        rows.append(Row(name: "8 generations", settings: settings))
        rows.append(Row(name: "192 kHz", rate: 192_000))
        rows.append(Row(name: "8 channels", channels: 8))
        rows += SoundLook.all.map { Row(name: $0.name, settings: $0.settings) }
        for _ in 0..<turns {
            for index in rows.indices { rows[index].least = min(rows[index].least, rows[index].measured()) }
        }
        print(Table.left("tapeaudio, 48 kHz, 2 channels", 32) + Table.row("x real time", "ns per frame", "to default"))
        for row in rows {
            let frames = Double(seconds * row.rate)
            print(
                Table.left(row.name, 32)
                    + Table.row(
                        Table.digits(Double(seconds) / row.least), Table.digits(row.least / frames * 1e9),
                        Table.digits(row.least / rows[0].least)))
        }
        let speed = Double(seconds) / rows[0].least
        print("\ndefault: \(Table.digits(speed)) times real time, target \(Table.digits(target))")
        if speed < target { exit(1) }
    }
}

/// Processor time of the calling thread, in seconds.
private func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
