import GStreamer
import MonitorEngine
import MonitorPolicy
import Synchronization

/// Measures all pipelines of a process that cannot be changed, as `perfmonitor` does one.
///
///     GST_TRACERS='perfmonitor-tracer(report=live,targets="encoder: p95=20ms, rate=30 | pipeline: p95=120ms")' app
///
/// Its parameters are the writable properties of `perfmonitor`; `TracerParameters` has the syntax, and `|` is the `;` of
/// the targets. It also measures the time that pushes are blocked downstream, and the own time of elements. A pipeline
/// with an enabled `perfmonitor` is left to that. Messages are posted by the pipeline. A registry has one feature of a name, so
/// the tracer cannot have that of the element.
final class PerformanceMonitorTracer: Tracer {
    static let tracerName = "perfmonitor-tracer"
    static let typeName = "GstPerfMonitorTracer"
    /// The hooks are those of `TracerHooks`, which do without `Pad` and `Duration`.
    static let hooks: Set<TracerHook> = []

    private static let log = DebugCategory(tracerName, "Performance monitor of all pipelines")

    private let settings: PerformanceMonitorSettings
    /// Runs by the identity of their pipeline, which they keep alive.
    private let sessions = Mutex<[UInt: MonitorSession]>([:])

    init(parameters: String?) {
        var settings = PerformanceMonitorSettings()
        let parameters = TracerParameters(parameters ?? "", of: Self.tracerName)
        for fault in parameters.faults { Self.warn(fault) }
        for pair in parameters.pairs {
            let isText = pair.name == "targets"
            let value = isText ? String(pair.value.map { $0 == "|" ? ";" : $0 }) : pair.value
            do throws(SettingFault) { try settings.set(pair.name, from: value) } catch {
                Self.warn("\(error) Its default is used.")
            }
        }
        self.settings = settings
    }

    func attach(unsafe tracer: UnsafeMutableRawPointer) {
        let isFirst = unsafe TracerHooks.install(on: tracer) { [self] step, pipeline in follow(step, pipeline) }
        if !isFirst { Self.warn("The tracer can be used only once in a process; this one is ignored.") }
    }

    private func follow(_ step: PipelineStep, _ pipeline: ElementReference) {
        let session = sessions.withLock { $0[pipeline.identity] }
        switch step {
        case .starts: if session == nil { start(pipeline) }
        case .plays: session?.resume()
        case .pauses: session?.pause()
        case .stopped:
            sessions.withLock { _ = $0.removeValue(forKey: pipeline.identity) }
            session?.stop()
        }
    }

    private func start(_ pipeline: ElementReference) {
        guard settings.isEnabled, !pipeline.hasMonitor else { return }
        let session = MonitorSession(traced: pipeline, settings, PerformanceMonitorReport())
        do throws(ElementError) {
            try session.start { Self.warn("\($0.text) It is left out.") }
            sessions.withLock { $0[pipeline.identity] = session }
        } catch {
            Self.warn("\(error.text) The pipeline is not measured.")
        }
    }

    /// One line for the user, who may not see the messages of the bus.
    private static func warn(_ text: String) {
        log.warning(nil, text)
        var terminal = Terminal()
        terminal.print("\(tracerName): \(text)\n")
    }
}

extension ElementReference {
    /// Whether an enabled `perfmonitor` measures the pipeline.
    fileprivate var hasMonitor: Bool {
        PipelineTap(traced: self, isWatched: { _ in false }).contains(PerformanceMonitor.factoryName) {
            $0.value("enabled") != .bool(false)
        }
    }
}
