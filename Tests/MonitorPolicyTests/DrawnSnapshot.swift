import MonitorPolicy

/// Makes snapshots for tests of the outputs.
enum DrawnSnapshot {
    private static let second: UInt64 = 1_000_000_000

    /// Returns an element with 300 frames in 10 s, a latency of 12 ms, and an age of 40 ms.
    static func element(_ name: String, _ factory: String, dropsEvery: UInt64? = nil) -> ElementSnapshot {
        let record = ElementRecord(name: name, factory: factory, now: 1)
        let (sink, source) = (record.addPad(.sink), record.addPad(.source))
        var history = ElementHistory(now: .nanoseconds(1))
        for frame in 0..<300 as Range<UInt64> {
            let now = 1 + (frame * second / 30)
            sink.framePassed(pts: frame, now: now, bytes: 1000)
            record.quiet.frameArrived(now: now)
            if let step = dropsEvery, frame % step == 0 { continue }
            source.framePassed(pts: frame, now: now, bytes: 10)
            source.frameLeft(pts: frame, now: now + 12_000_000, sinks: [sink])
            if frame % 10 == 0 { source.recordUnknownAge() } else { source.recordAge(40_000_000) }
            source.recordBlocked(1_000_000)
            if frame % 30 == 29 {
                history.tick(record.read(now: now + (second / 30)), now: .nanoseconds(now + (second / 30)))
            }
        }
        return ElementSnapshot(name: name, factory: factory, history: history)
    }

    /// Returns a sink without any frame.
    static func idle(_ name: String) -> ElementSnapshot {
        let record = ElementRecord(name: name, factory: "fakesink", now: 0)
        _ = record.addPad(.sink)
        var history = ElementHistory(now: .zero)
        history.tick(record.read(now: second), now: .nanoseconds(second))
        return ElementSnapshot(name: name, factory: "fakesink", history: history)
    }

    /// Returns a pipeline with an encoder, an idle sink, levels and an alert.
    static func pipeline() -> MonitorSnapshot {
        var snapshot = MonitorSnapshot(name: "pipeline0", time: .milliseconds(62_500))
        var encoder = element("encoder", "x264enc", dropsEvery: 50)
        encoder.cpu = 1.25
        encoder.levels = [
            .init("pool-size", 4), .init("drops", detail: "late", 7, isCounter: true),
            .init("drops", detail: "full", 2, isCounter: true),
        ]
        snapshot.elements = [encoder, idle("sink")]
        snapshot.pipeline = element("pipeline", "", dropsEvery: nil)
        snapshot.process.cpu = 1.32
        snapshot.process.memory = 84_200_000
        snapshot.process.peakMemory = 91_000_000
        snapshot.process.energySource = "no sensor"
        snapshot.alerts = alerts("encoder")
        return snapshot
    }

    /// Returns the critical alert that follows a sudden rise of the latency.
    static func alerts(_ element: String) -> [Alert] {
        var line = try? Timeline("encoder: p95=20ms")
        line?.play(60)
        line?.play(10, latency: { _ in 50 })
        var alerts = line?.book.alerts ?? []
        for index in alerts.indices { alerts[index].element = element }
        return alerts
    }
}
