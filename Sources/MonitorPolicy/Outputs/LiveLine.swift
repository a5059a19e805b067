/// A line that is rewritten in place once a second while a pipeline plays.
public enum LiveLine {
    /// Returns the figures of the last 5 s in at most `width` characters, without line break.
    ///
    /// The most important parts come first, because a narrow terminal cuts the line: time, rate, age, alerts, lack of
    /// processors, bottleneck, network, source, slowest element, drops since the start, process.
    public static func text(_ snapshot: MonitorSnapshot, width: Int = 80) -> String {
        var parts = [Units.clock(snapshot.time)]
        if let pipeline = snapshot.pipeline?.fiveSeconds {
            parts.append("\(Units.number(pipeline.rate))/s")
            parts.append("age P95 \(measured(pipeline.age))")
        }
        if let worst = snapshot.alerts.first {
            let more = snapshot.alerts.count > 1 ? " +\(snapshot.alerts.count - 1)" : ""
            let value = Units.value(worst.recent, of: worst.metric)
            parts.append(
                "\(worst.severity.rawValue.uppercased()) \(name(worst.element)) \(worst.metric.rawValue) \(value)\(more)"
            )
        }
        if snapshot.process.isShortOfProcessors {
            parts.append("WAITS FOR CPU \(Units.share(snapshot.process.cpuWaitShare))")
        }
        if let bottleneck = snapshot.bottleneck, bottleneck.kind != .part, let element = bottleneck.elements.first {
            parts.append("bottleneck \(name(element))")
        }
        for finding in snapshot.findings {
            if let title = finding.title { parts.append("\(title) \(name(finding.element))") }
        }
        if let slowest = slowest(snapshot.elements) {
            parts.append("slowest \(name(slowest.name)) P95 \(measured(slowest.fiveSeconds.latency))")
        }
        parts.append("dropped \(Units.count(dropped(snapshot.elements)))")
        parts.append("CPU \(Units.number(snapshot.process.cpu))")
        parts.append(Units.bytes(snapshot.process.memory))
        return SummaryTable.shortened(parts.joined(separator: "  "), to: max(width, 0))
    }

    /// P95 with its coverage: `41.2 ms (100 %)`.
    private static func measured(_ figures: LatencyFigures) -> String {
        "\(Units.duration(figures.p95)) (\(Units.share(figures.coverage)))"
    }

    private static func name(_ name: String) -> String { SummaryTable.shortened(Units.printable(name), to: 20) }

    /// Element with the highest P95 latency, including queues, which only wait for other elements.
    private static func slowest(_ elements: [ElementSnapshot]) -> ElementSnapshot? {
        elements.filter { $0.fiveSeconds.latency.p95 != nil }
            .max { ($0.fiveSeconds.latency.p95 ?? .zero) < ($1.fiveSeconds.latency.p95 ?? .zero) }
    }

    private static func dropped(_ elements: [ElementSnapshot]) -> UInt64? {
        let counts = elements.compactMap(\.counts.dropped)
        return counts.isEmpty ? nil : counts.reduce(0, &+)
    }
}
