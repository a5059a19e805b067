import GStreamer
import MonitorEngine
import MonitorPolicy
import MonitorServer
import Threads

/// Files, terminal and server that receive the figures of a session.
final class MonitorOutputs: Sendable {
    private struct State: ~Copyable {
        var log: LogFile?
        var metrics: String?
        var trace: TraceFile?
        var lastLine: Duration?
        /// Names of the elements in the last line of the log.
        var logged: [String] = []
        var failures: [ElementError] = []
        var hasFailed: Set<String> = []
        var terminal = Terminal()
    }

    /// Number of ports after the first one that are tried.
    private static let portsToTry = 31

    private let state: Mutex<State>
    private let server: MonitorServer?
    private let hasMetrics: Bool

    /// Opens the files and the server of the settings; with `tolerate`, omits an output that cannot be opened.
    init(
        _ settings: PerformanceMonitorSettings, pipeline: String, tolerate: ((ElementError) -> Void)?
    ) throws(ElementError) {
        let log = try Self.attempt(tolerate) { () throws(ElementError) in
            try settings.logFile.map { path throws(ElementError) in try LogFile.opened(path, for: "log-file") }
        }
        _ = try Self.attempt(tolerate) { () throws(ElementError) -> Bool? in
            try Self.begin(metrics: settings.metricsFile, pipeline: pipeline)
            return true
        }
        server = try Self.attempt(tolerate) { () throws(ElementError) in
            try Self.serve(settings, triesNext: tolerate != nil)
        }
        let trace = try Self.attempt(tolerate) { () throws(ElementError) in
            try settings.traceFile.map { path throws(ElementError) in
                try TraceFile(path, maximumBytes: Int(clamping: settings.traceBytes), processName: pipeline)
            }
        }
        hasMetrics = server != nil || settings.metricsFile != nil
        state = Mutex(State(log: log, metrics: settings.metricsFile, trace: trace))
    }

    private static func attempt<Output: ~Copyable>(
        _ tolerate: ((ElementError) -> Void)?, _ open: () throws(ElementError) -> Output?
    ) throws(ElementError) -> Output? {
        do { return try open() } catch {
            guard let tolerate else { throw error }
            tolerate(error)
            return nil
        }
    }

    private static func begin(metrics path: String?, pipeline: String) throws(ElementError) {
        let empty = PrometheusText.text(MonitorSnapshot(name: pipeline, time: .zero))
        guard let path, let failure = LogFile.replace(path, with: empty) else { return }
        throw .resource(
            .openWrite, "The metrics-file \"\(path)\" cannot be written: \(failure.reason).",
            debug: "Choose a file in a folder that may be written to, or clear metrics-file.")
    }

    /// Starts the server of the dashboard; with `triesNext`, tries the next ports if the port is in use.
    private static func serve(
        _ settings: PerformanceMonitorSettings, triesNext: Bool
    ) throws(ElementError) -> MonitorServer? {
        guard let text = settings.dashboard, let address = ServerAddress(text) else { return nil }
        let server = MonitorServer(
            page: Dashboard.page, allowedHosts: HTTPHost.names(in: settings.allowedHosts ?? "") ?? [])
        do { try server.start(address, orNext: triesNext ? portsToTry : 0) } catch {
            throw .resource(
                .openReadWrite, "The dashboard cannot be served at \(address): \(error).",
                debug: "Choose another port, or :0 for any free one.")
        }
        return server
    }

    var url: String? { server?.address.map { "http://\($0)/" } }

    /// Writes the figures of one second; returns the first failure of each file.
    func write(
        _ snapshot: MonitorSnapshot, _ events: [AlertEvent], _ settings: PerformanceMonitorSettings, isLast: Bool
    ) -> [ElementError] {
        let metrics = hasMetrics ? PrometheusText.text(snapshot) : ""
        publish(snapshot, metrics)
        return state.withLock { state in
            Self.writeLog(snapshot, events, settings, isLast: isLast, &state)
            if let path = state.metrics {
                Self.note("metrics-file", path, LogFile.replace(path, with: metrics), &state)
            }
            if let (path, failure) = state.trace?.drain(isLast: isLast) {
                Self.note("trace-file", path, failure, &state)
            }
            Self.print(snapshot, settings.output, isLast: isLast, &state.terminal)
            defer { state.failures = [] }
            return state.failures
        }
    }

    /// Sends figures to the clients of the server, and writes no file.
    func publish(_ snapshot: MonitorSnapshot) { if server != nil { publish(snapshot, PrometheusText.text(snapshot)) } }

    private func publish(_ snapshot: MonitorSnapshot, _ metrics: String) {
        server?.publish(metrics: metrics, stats: SnapshotJSON.line(snapshot))
    }

    private static func print(
        _ snapshot: MonitorSnapshot, _ choice: PerformanceMonitorSettings.ReportChoice, isLast: Bool,
        _ terminal: inout Terminal
    ) {
        if choice == .live { terminal.rewrite(LiveLine.text(snapshot, width: terminal.width - 1)) }
        if choice != .none, isLast { terminal.print(SummaryTable.text(snapshot, width: terminal.width)) }
    }

    private static func writeLog(
        _ snapshot: MonitorSnapshot, _ events: [AlertEvent], _ settings: PerformanceMonitorSettings, isLast: Bool,
        _ state: inout State
    ) {
        guard let log = state.log else { return }
        var text = events.map { SnapshotJSON.line($0, time: snapshot.time, started: snapshot.started) }.joined()
        // A timer may fire early; the line that is due is written nevertheless.
        if isLast || snapshot.time - (state.lastLine ?? .zero) >= settings.logInterval - .milliseconds(500) {
            let names = snapshot.elements.map(\.name)
            // Short lines contain neither factories nor links, so new elements require a complete line.
            text += names == state.logged ? SnapshotJSON.logLine(snapshot) : SnapshotJSON.line(snapshot)
            (state.logged, state.lastLine) = (names, snapshot.time)
        }
        guard !text.isEmpty else { return }
        note("log-file", log.path, log.append(text), &state)
    }

    private static func note(_ property: String, _ path: String, _ failure: FileFailure?, _ state: inout State) {
        guard let failure, state.hasFailed.insert(property).inserted else { return }
        state.failures.append(
            .resource(
                .write, "The \(property) \"\(path)\" cannot be written: \(failure.reason).",
                debug: "The stream and all other outputs continue; writing is tried again."))
    }

    func close() { server?.stop() }
}

extension LogFile {
    /// Opens the file that a property names; `isReplaced` truncates it.
    static func opened(_ path: String, for property: String, isReplaced: Bool = false) throws(ElementError) -> LogFile {
        do { return try LogFile(path, isReplaced: isReplaced) } catch {
            throw .resource(
                .openWrite, "The \(property) \"\(path)\" cannot be opened: \(error.reason).",
                debug: "Choose a folder that may be written to, or clear \(property).")
        }
    }
}
