import Durations

/// The table that is printed when a pipeline ends: at EOS, after an error, or at Ctrl-C.
public enum SummaryTable {
    /// A column of the table; if the table is too wide, the column with the highest rank is omitted first.
    private struct Column {
        var group = ""
        let title: String
        let rank: Int
        let cell: (ElementSnapshot) -> String
    }

    private static var columns: [Column] {
        [
            Column(title: "in", rank: 3) { Units.count($0.counts.hasInput ? $0.counts.framesIn : nil) },
            Column(title: "out", rank: 4) { Units.count($0.counts.hasOutput ? $0.counts.framesOut : nil) },
            Column(title: "dropped", rank: 2) { Units.count($0.counts.dropped) },
            Column(title: "rate", rank: 1) { $0.total.rate.map { Units.number($0) + "/s" } ?? Units.absent },
        ] + latencies("latency") { $0.total.latency } + latencies("age") { $0.total.age } + [
            Column(title: "blocked", rank: 7) { Units.share($0.counts.hasOutput ? $0.total.blocked : nil) },
            Column(title: "own", rank: 7) { Units.share($0.total.own) },
            Column(title: "CPU", rank: 8) { Units.number($0.cpu) },
            Column(title: "wait", rank: 8) { Units.number($0.cpuWait) },
        ]
    }

    /// The coverage (`measured`) has the rank of P95, because neither is meaningful without the other.
    private static func latencies(_ group: String, _ figures: @escaping (ElementSnapshot) -> LatencyFigures) -> [Column]
    {
        [
            Column(group: group, title: "P50", rank: 5) { Units.duration(figures($0).p50) },
            Column(group: group, title: "P95", rank: 0) { Units.duration(figures($0).p95) },
            Column(group: group, title: "P99", rank: 6) { Units.duration(figures($0).p99) },
            Column(group: group, title: "max", rank: 9) { Units.duration(figures($0).longest) },
            Column(group: group, title: "measured", rank: 0) { Units.share(figures($0).coverage) },
        ]
    }

    /// Returns the table in lines of at most `width` characters, or of 60 if `width` is less.
    public static func text(_ snapshot: MonitorSnapshot, width: Int = 160) -> String {
        let rows = snapshot.elements + (snapshot.pipeline.map { [$0] } ?? [])
        var lines =
            [heading(snapshot)] + grid(rows, max(width, 60)) + snapshot.verdict.flatMap { wrapped($0, max(width, 60)) }
        lines += snapshot.unmatchedTargets.map { "not checked: no element was called \"\(Units.printable($0))\"" }
        lines += snapshot.alerts.map { "\($0.severity.rawValue): " + sentence($0) }
        return lines.map { shortened($0, to: max(width, 60)) + "\n" }.joined()
    }

    /// Describes an alert in one sentence: `encoder p95 31.0 ms, target 20.0 ms (60.0 s, 1800 samples)`.
    public static func sentence(_ alert: Alert) -> String {
        let value = Units.value(alert.value, of: alert.metric)
        let target = Units.value(alert.target, of: alert.metric)
        let window = Units.number(alert.window.inSeconds)
        return "\(Units.printable(alert.element)) \(alert.metric.rawValue) \(value), target \(target)"
            + " (\(window) s, \(alert.samples) samples)"
    }

    private static func heading(_ snapshot: MonitorSnapshot) -> String {
        let process = snapshot.process
        let energy = process.energy.map { Units.number($0) + " J" } ?? Units.absent
        return
            "\(Units.printable(snapshot.name)): \(Units.clock(snapshot.time)), CPU \(Units.number(process.cpu)) cores, "
            + "memory \(Units.bytes(process.memory)), peak \(Units.bytes(process.peakMemory)), energy \(energy)"
    }

    /// Omits columns without values, then further columns until the rest fits.
    private static func grid(_ rows: [ElementSnapshot], _ width: Int) -> [String] {
        guard !rows.isEmpty else { return ["no element was watched"] }
        let names = ["element"] + rows.map { shortened(Units.printable($0.name), to: 24) }
        var columns: [(column: Column, cells: [String])] = columns.map { column in (column, rows.map(column.cell)) }
            .filter { !$0.cells.allSatisfy { $0 == Units.absent } }
        let nameWidth = names.map(\.count).max() ?? 0
        while nameWidth + columns.map({ Self.width($0) + 2 }).reduce(0, +) > width,
            let last = columns.indices.max(by: { columns[$0].column.rank < columns[$1].column.rank })
        {
            columns.remove(at: last)
        }
        return lines(names, columns, nameWidth)
    }

    private static func lines(
        _ names: [String], _ columns: [(column: Column, cells: [String])], _ nameWidth: Int
    ) -> [String] {
        var groups = String(repeating: " ", count: nameWidth)
        var titles = padded(names[0], to: nameWidth)
        var lines = names.dropFirst().map { padded($0, to: nameWidth) }
        var group = ""
        for column in columns {
            let width = width(column)
            // The title of a group is above its first column.
            let title = column.column.group == group ? "" : column.column.group
            groups += "  " + String(repeating: " ", count: width - title.count) + title
            group = column.column.group
            titles += "  " + String(repeating: " ", count: width - column.column.title.count) + column.column.title
            for (row, cell) in column.cells.enumerated() {
                lines[row] += "  " + String(repeating: " ", count: width - cell.count) + cell
            }
        }
        return [trimmed(groups), titles] + lines
    }

    private static func width(_ column: (column: Column, cells: [String])) -> Int {
        max(column.column.title.count, column.column.group.count, column.cells.map(\.count).max() ?? 0)
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func trimmed(_ text: String) -> String {
        var text = text[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }

    /// Wraps a sentence into lines of at most `width` characters, and indents all lines but the first.
    private static func wrapped(_ text: String, _ width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = "  \(word)"
            } else {
                line += (line.isEmpty ? "" : " ") + word
            }
        }
        return lines + [line]
    }

    static func shortened(_ text: String, to width: Int) -> String {
        guard text.count > width else { return text }
        return width > 0 ? String(text.prefix(width - 1)) + "…" : ""
    }
}
