import GStreamer
import MonitorEngine
import MonitorPolicy

/// The files and the terminal that figures are written to, by the thread of the session.
struct MonitorOutputs: Sendable {
    private var log: LogFile?
    private var metrics: String?
    private var lastLine: Duration?
    private var failures: [ElementError] = []
    private var hasFailed: Set<String> = []
    private var terminal = Terminal()

    /// Writes nowhere.
    init() {}

    /// Opens the files that the settings name.
    init(_ settings: PerformanceMonitorSettings) throws(ElementError) {
        metrics = settings.metricsFile
        guard let path = settings.logFile else { return }
        do { log = try LogFile(path) } catch {
            throw .resource(
                .openWrite, "The log file \"\(path)\" cannot be opened: \(error.reason).",
                debug: "Choose a folder that may be written to, or clear log-file.")
        }
    }

    /// Writes one second of figures.
    mutating func write(
        _ snapshot: MonitorSnapshot, _ events: [AlertEvent], _ settings: PerformanceMonitorSettings, isLast: Bool
    ) {
        writeLog(snapshot, events, settings, isLast: isLast)
        if let metrics {
            note("metrics-file", metrics, FileReplacement.write(PrometheusText.text(snapshot), to: metrics))
        }
        switch settings.output {
        case .none: break
        case .end: if isLast { terminal.print(SummaryTable.text(snapshot, width: terminal.width)) }
        case .live:
            terminal.rewrite(LiveLine.text(snapshot, width: terminal.width - 1))
            if isLast { terminal.print(SummaryTable.text(snapshot, width: terminal.width)) }
        }
    }

    /// Faults since the last call, each once.
    mutating func takeFailures() -> [ElementError] {
        defer { failures = [] }
        return failures
    }

    private mutating func writeLog(
        _ snapshot: MonitorSnapshot, _ events: [AlertEvent], _ settings: PerformanceMonitorSettings, isLast: Bool
    ) {
        guard let log else { return }
        var text = events.map { SnapshotJSON.line($0, time: snapshot.time) }.joined()
        let interval = Duration(nanoseconds: settings.logInterval) - .milliseconds(100)
        if isLast || snapshot.time - (lastLine ?? .zero) >= interval {
            text += SnapshotJSON.line(snapshot)
            lastLine = snapshot.time
        }
        guard !text.isEmpty else { return }
        note("log-file", log.path, log.append(text))
    }

    private mutating func note(_ property: String, _ path: String, _ failure: FileFailure?) {
        guard let failure, hasFailed.insert(property).inserted else { return }
        failures.append(
            .resource(
                .write, "Figures cannot be written to the \(property) \"\(path)\": \(failure.reason).",
                debug: "The stream and all other outputs continue; writing is tried again."))
    }
}
