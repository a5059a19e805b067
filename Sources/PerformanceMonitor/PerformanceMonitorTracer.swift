import GStreamer
import Glibc
import MonitorEngine
import MonitorPolicy
import Threads

/// Measures all pipelines of a process that cannot be modified; `perfmonitor` measures only one pipeline.
///
///     GST_TRACERS='perfmonitor-tracer(report=live,targets="encoder: p95=20ms, rate=30 | pipeline: p95=120ms")' app
///
/// The parameters are the writable properties of `perfmonitor`, in the syntax of `TracerParameters`; `|` replaces the
/// `;` of targets. The tracer also measures the time blocked in pushes, and own times of elements. A pipeline with an
/// enabled `perfmonitor` is ignored. The pipeline posts the messages. The tracer has another name than the element,
/// because a registry contains one feature of each name.
final class PerformanceMonitorTracer: Tracer {
    static let tracerName = "perfmonitor-tracer"
    static let typeName = "GstPerfMonitorTracer"
    /// `TracerHooks` adds the hooks, without using `Pad` and `Duration`.
    static let hooks: Set<TracerHook> = []

    private static let log = DebugCategory(tracerName, "Performance monitor of all pipelines")

    private struct Run: Sendable {
        let session: MonitorSession
        let files: [String]
    }

    private final class Process: Sendable {
        /// Runs by the identity of their pipeline; a run holds no reference to its pipeline.
        let runs = Mutex<[UInt: Run]>([:])
        let files = Mutex(PipelineFiles())
        let trace = TracerTrace()
        /// Kinds of faults that were reported, each once for all pipelines.
        let named = Mutex<Set<String>>([])
    }

    private let settings: PerformanceMonitorSettings
    private let forks = ForkCount.now
    /// A forked child measures only its own pipelines, because the thread that reads the others runs in its parent.
    private let process = PerProcess { Process() }

    init(parameters: String?) {
        var settings = PerformanceMonitorSettings()
        let parameters = TracerParameters(parameters ?? "", of: Self.tracerName)
        for fault in parameters.faults { Self.warn(fault) }
        for pair in parameters.pairs {
            let isText = pair.name == "targets"
            let value = isText ? String(pair.value.map { $0 == "|" ? ";" : $0 }) : pair.value
            do throws(SettingFault) { try settings.set(pair.name, from: value) } catch {
                let isKnown = PerformanceMonitorSettings.properties.contains { $0.name == pair.name }
                Self.warn("\(error) \(isKnown ? "Its default is used." : "It is ignored.")")
            }
        }
        self.settings = settings
    }

    func attach(to tracer: borrowing TracerHost) {
        let isFirst = TracerHooks.install(on: tracer) { [self] step, pipeline in follow(step, pipeline) }
        if !isFirst { Self.warn("The tracer can be used only once in a process; this one is ignored.") }
    }

    private func follow(_ step: TracerHooks.Step, _ identity: UInt) {
        let run = process.value.runs.withLock { $0[identity] }
        switch step {
        case .starts(let pipeline): if run == nil { start(pipeline) }
        case .plays: run?.session.resume()
        case .pauses: run?.session.pause()
        case .stopped:
            process.value.runs.withLock { _ = $0.removeValue(forKey: identity) }
            guard let run else { return }
            run.session.stop()
            release(run)
        }
    }

    private func start(_ pipeline: ElementReference) {
        guard settings.isEnabled, !pipeline.hasMonitor else { return }
        let (own, files) = settings(of: pipeline)
        let tap = PipelineTap(pipeline, isTraced: true, isWatched: PerformanceMonitorSettings.choice(of: own.elements))
        let session = MonitorSession(tap.host, own, tap, PerformanceMonitorReport(), emitsSignal: false)
        let run = Run(session: session, files: files)
        do throws(ElementError) {
            try process.value.trace.begin(ownSettings, name: pipeline.name) { [self] in leaveOut($0) }
        } catch { leaveOut(error) }
        do throws(ElementError) {
            try session.start { self.leaveOut($0) }
        } catch {
            Self.warn("\(error.text) The pipeline is not measured.")
            session.abandon()
            return release(run)
        }
        process.value.runs.withLock { $0[pipeline.identity] = run }
        if let url = session.dashboardURL { Self.warn("The dashboard of \(pipeline.name) is at \(url)") }
    }

    private func release(_ run: Run) {
        process.value.trace.end()
        process.value.files.withLock { files in for path in run.files { files.release(path) } }
    }

    /// Settings of this process; the files of a forked child contain its process id in their names.
    private var ownSettings: PerformanceMonitorSettings {
        guard forks != ForkCount.now else { return settings }
        var own = settings
        for path in [\PerformanceMonitorSettings.traceFile, \.logFile, \.metricsFile] {
            own[keyPath: path] = own[keyPath: path].map { PipelineFiles.inserting("\(getpid())", into: $0) }
        }
        return own
    }

    /// Settings with the files of one pipeline, but without the trace, which contains all pipelines.
    private func settings(of pipeline: ElementReference) -> (PerformanceMonitorSettings, files: [String]) {
        var own = ownSettings
        own.traceFile = nil
        process.value.files.withLock { files in
            own.logFile = own.logFile.map { files.claim($0, for: pipeline.name) }
            own.metricsFile = own.metricsFile.map { files.claim($0, for: pipeline.name) }
        }
        return (own, [own.logFile, own.metricsFile].compactMap(\.self))
    }

    private func leaveOut(_ error: ElementError) {
        // File names, which follow the first quote, differ between pipelines.
        let kind = String(error.text.prefix { $0 != "\"" })
        guard process.value.named.withLock({ $0.insert(kind).inserted }) else { return }
        Self.warn("\(error.text) It is left out.")
    }

    /// Prints one line for the user, who may not see the messages of the bus.
    private static func warn(_ text: String) {
        log.warning(nil, text)
        var terminal = Terminal()
        terminal.print("\(tracerName): \(text)\n")
    }
}

extension ElementReference {
    /// Whether an enabled `perfmonitor` measures the pipeline.
    fileprivate var hasMonitor: Bool {
        allElements().contains {
            $0.factory == PerformanceMonitor.factoryName && $0.value("enabled") != .bool(false)
        }
    }
}

/// Perfetto trace of a process whose pipelines a tracer measures.
///
/// A trace contains the marks of all threads of the process, from the start of the first pipeline to the end of the
/// last concurrent one. The file of a later trace has a number in its name, up to `mostTraces`. Lock order: `run`, then
/// `file`; no streaming thread locks them.
final class TracerTrace: Sendable {
    private struct Run: Sendable {
        var pipelines = 0
        var traces = 0
        var worker: Worker?
        var alarm = Alarm()
        var failed: (@Sendable (ElementError) -> Void)?
    }

    /// Maximum number of traces, which limits the disk space for an application that creates pipelines repeatedly.
    private static let mostTraces = 32

    private let run = Mutex(Run())
    private let file = Mutex<TraceFile?>(nil)

    /// Counts a pipeline that starts; `failed` receives write errors, on a thread of the trace or in `end`.
    ///
    /// Call `end` when the pipeline ends, even after an error.
    func begin(
        _ settings: PerformanceMonitorSettings, name: String, failed: @escaping @Sendable (ElementError) -> Void
    ) throws(ElementError) {
        guard let path = settings.traceFile else { return }
        try run.withLock { (run) throws(ElementError) in
            run.pipelines += 1
            guard run.worker == nil else { return }
            guard run.traces < Self.mostTraces else {
                throw .resource(.openWrite, "The trace-file is not recorded again: \(Self.mostTraces) traces exist.")
            }
            let own = run.traces == 0 ? path : PipelineFiles.inserting("\(run.traces + 1)", into: path)
            let limit = Int(clamping: settings.traceBytes)
            try file.withLock { (file) throws(ElementError) in
                file = try TraceFile(own, maximumBytes: limit, processName: name)
            }
            run.traces += 1
            run.failed = failed
            let alarm = Alarm()
            run.alarm = alarm
            run.worker = Worker.start("perfmonitor") { [self] in
                while alarm.sleep(for: .seconds(1)) { drain(isLast: false, failed) }
            }
        }
    }

    /// Counts a pipeline that ends; the last one ends the trace.
    func end() {
        run.withLock { run in
            run.pipelines = max(0, run.pipelines - 1)
            guard run.pipelines == 0 else { return }
            run.alarm.end()
            run.worker?.join()
            run.worker = nil
            drain(isLast: true, run.failed)
        }
    }

    private func drain(isLast: Bool, _ failed: (@Sendable (ElementError) -> Void)?) {
        let result = file.withLock { file -> (path: String, failure: FileFailure?)? in
            guard var open = file.take() else { return nil }
            let result = open.drain(isLast: isLast)
            if !isLast { file = consume open }
            return result
        }
        guard let result, let failure = result.failure else { return }
        failed?(.resource(.write, "The trace-file \"\(result.path)\" cannot be written: \(failure.reason)."))
    }
}
