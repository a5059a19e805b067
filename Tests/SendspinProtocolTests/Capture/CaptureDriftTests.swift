import Durations
@testable import SendspinProtocol
import TestSupport
import Testing

/// An hour of capture in simulated time.
///
/// Simulated are the capture device, whose clock is that of the pipeline, as `alsasrc` provides it; its readings with
/// jitter; and a server with a clock of its own behind a network with jitter. Buffers have 10 ms of the device's time.
@Suite struct CaptureDriftTests {
    /// Figures of an hour of capture.
    private struct Result {
        var frames = 0
        var isContinuous = true
        /// Largest error of the time of a chunk, after the first 10 s.
        var error = Duration.zero
        /// Largest deviation of the time between two chunks from the playing time of the first, after the first 10 s.
        var step = Duration.zero
        var counts = CaptureCounts()
    }

    private static let rate = 8_000

    /// Captures for `time` with a device whose clock is `ppm` faster than the local clock.
    private func capture(_ time: Duration, ppm: Double, serverPPM: Double, jitter: Duration, seed: UInt64) -> Result {
        var dice = Random(seed: seed)
        var server = SimulatedServer(seed: seed)
        server.drift = serverPPM * 1e-6
        server.run(until: .seconds(5))
        var (queue, clock, result) = (CaptureQueue(), CaptureClock(), Result())
        // Mono with 32 bits: each frame contains its index.
        queue.begin(CaptureFormat(.pcm, channels: 1, sampleRate: Self.rate, bitDepth: 32)!)
        let begin = server.now
        func local(atFrame frame: Int) -> Duration {
            begin + Duration(seconds: Double(frame) / Double(Self.rate) / (1 + ppm * 1e-6))
        }
        func device(at local: Duration) -> Duration {
            .seconds(77) + Duration(seconds: (local - begin).inSeconds * (1 + ppm * 1e-6))
        }
        let size = Self.rate / 100
        var (next, last) = (0, Duration?.none)
        var frame = 0
        while local(atFrame: frame) < begin + time {
            let bytes = (frame..<(frame + size)).flatMap { index in
                (0..<4).map { UInt8(truncatingIfNeeded: index >> (8 * $0)) }
            }
            // The buffer has the time of its first frame, and arrives after its last one.
            let start = Duration.seconds(77) + .nanoseconds(Int64(frame) * 1_000_000_000 / Int64(Self.rate))
            frame += size
            server.run(until: max(local(atFrame: frame) + .milliseconds(1), server.now))
            queue.append(bytes.span.bytes, at: start, arrival: server.now)
            let noise = Duration(seconds: Double.random(in: -1...1, using: &dice) * jitter.inSeconds)
            clock.add(clock: device(at: server.now) + noise, local: server.now)
            while case let step? = queue.next() {
                guard case .chunk(let time, let payload) = step else { continue }
                for index in stride(from: 0, to: payload.count, by: 4) {
                    let value = (0..<4).reduce(0) { $0 | (Int(payload[index + $1]) << (8 * $1)) }
                    result.isContinuous = result.isContinuous && value == next
                    next += 1
                }
                let first = next - payload.count / 4
                guard let captured = clock.local(at: time), let sent = server.clock.estimate?.serverTime(at: captured)
                else {
                    continue
                }
                let truth = server.serverTime(at: local(atFrame: first))
                if server.now - begin > .seconds(10) {
                    result.error = max(result.error, max(sent - truth, truth - sent))
                    let passed = last.map { sent - $0 - .milliseconds(20) } ?? .zero
                    result.step = max(result.step, max(passed, .zero - passed))
                }
                last = sent
            }
        }
        result.frames = frame - next
        result.counts = queue.counts
        return result
    }

    @Test(arguments: [-200.0, 0, 200], [-50.0, 50])
    func anHourLosesAndRepeatsNothing(ppm: Double, serverPPM: Double) {
        let result = capture(.seconds(3_600), ppm: ppm, serverPPM: serverPPM, jitter: .microseconds(200), seed: 3)
        #expect(result.isContinuous)
        // Less than a chunk waits for its rest.
        #expect(result.frames < Self.rate / 50)
        #expect(result.counts.overflows == 0 && result.counts.gaps == 0 && result.counts.malformed == 0)
        #expect(result.error < .milliseconds(1), "\(result.error)")
        #expect(result.step < .milliseconds(1), "\(result.step)")
    }

    /// A device whose readings are off by up to 2 ms.
    @Test func coarseReadingsDoNotMatter() {
        let result = capture(.seconds(300), ppm: 200, serverPPM: 0, jitter: .milliseconds(2), seed: 5)
        #expect(result.isContinuous && result.counts.gaps == 0)
        #expect(result.error < .milliseconds(1), "\(result.error)")
    }

    /// The pipeline selects another clock, or its clock is set.
    @Test func stepOfTheClockIsFollowedAtOnce() throws {
        var clock = CaptureClock()
        for second in 0..<60 { clock.add(clock: .seconds(second), local: .seconds(1_000 + second)) }
        #expect(try #require(clock.local(at: .seconds(60))) == .seconds(1_060))
        clock.add(clock: .seconds(560), local: .seconds(1_060))
        #expect(try #require(clock.local(at: .seconds(561))) == .seconds(1_061))
    }

    @Test func readingIsDueEvery100Milliseconds() {
        var clock = CaptureClock()
        #expect(clock.local(at: .zero) == nil)
        #expect(clock.needsReading(at: .zero))
        clock.add(clock: .zero, local: .zero)
        #expect(!clock.needsReading(at: .milliseconds(99)))
        #expect(clock.needsReading(at: .milliseconds(100)))
    }
}
