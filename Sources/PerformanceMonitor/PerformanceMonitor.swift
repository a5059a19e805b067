import GStreamer
import MonitorEngine
import Threads

/// Registers the element `perfmonitor` and the tracer `perfmonitor-tracer`.
public func registerPerformanceMonitor(in plugin: Plugin) -> Bool {
    // A GStreamer that is built without tracing has only the element.
    _ = register(PerformanceMonitorTracer.self, in: plugin)
    return register(PerformanceMonitor.self, in: plugin)
}

/// Measures the elements of its pipeline: frames, drops, rate, latency and age with percentiles, levels, CPU.
///
///     gst-launch-1.0 videotestsrc num-buffers=300 ! x264enc ! fakesink perfmonitor
///
/// The element has no pads: put it anywhere into a launch line, or add it to a pipeline with `gst_bin_add`. Its probes
/// watch all elements of the pipeline, including elements added later, and change no data. Without properties, it
/// prints a table on the standard error output when the pipeline stops.
///
/// `targets` sets limits, such as `encoder: p95=20ms; pipeline: p95=120ms, memory=200MB`. When a limit is exceeded, the
/// element posts the message `performance-alert` and emits a signal of the same name. With `act=vote` it also requests
/// that `thermalcaps` reduces the quality until the pipeline is fast enough.
final class PerformanceMonitor: ConcurrentElement {

    // MARK: What gst-inspect shows

    static let factoryName = "perfmonitor"
    static let typeName = "GstPerfMonitor"
    static let metadata = ElementMetadata(
        "Performance monitor",
        classification: "Debug",
        description:
            "Measures latency, drops, rates and CPU of all elements of a pipeline, and compares them with targets",
        author: "The gst-plugins-swift authors")
    static let signals = [performanceAlert]

    /// Emitted when an alert is raised, eased or cleared; the argument is the structure of the message.
    static let performanceAlert = Signal("performance-alert", arguments: [.structure])

    typealias Settings = PerformanceMonitorSettings

    // MARK: Lifecycle

    let host: ElementHost
    let report = PerformanceMonitorReport()
    private let early = EarlyTap()

    init(host: ElementHost) { self.host = host }

    func settingsChanged(_ settings: Settings, revision: UInt64) {
        early.apply(settings, host)
        report.session?.apply(settings, revision: revision)
    }

    func start(_ settings: LiveSettings<Settings>) throws(ElementError) {
        guard let tap = early.take(host, settings.now) else {
            throw .core(
                .failed, "\(Self.factoryName) is not in a pipeline, so there is nothing to measure.",
                debug: "Add it to the pipeline with gst_bin_add(), or append it to the gst-launch-1.0 line.")
        }
        let session = MonitorSession(host, settings.now, tap, report, emitsSignal: true)
        report.session = session
        do { try session.start() } catch {
            report.session = nil
            session.abandon()
            throw error
        }
    }

    func changeState(_ change: StateChange) -> StateChangeResult {
        if change == .playingToPaused { report.session?.pause() }
        if change == .readyToNull { early.stop() }
        let result = host.parentChangeState(change)
        if change == .nullToReady { early.start(host) }
        if change == .pausedToPlaying { report.session?.resume() }
        return result
    }

    func stop() {
        report.session?.stop()
        report.session = nil
        early.start(host)
    }
}

/// Probes that are added in READY.
///
/// A bin starts its sinks first, then the elements linked to them, and elements without pads last. When `perfmonitor`
/// changes to PAUSED, sources have already pushed frames.
final class EarlyTap: Sendable {
    private struct State {
        var elements: String?
        var isEnabled = true
        var isReady = false
        var tap: PipelineTap?
    }

    /// The mutex stays locked while probes change, so that changes have an order; no streaming thread locks it.
    private let state = Mutex(State())

    /// Applies changed properties, also in READY.
    func apply(_ settings: PerformanceMonitorSettings, _ host: ElementHost) {
        state.withLock { state in
            guard (state.elements, state.isEnabled) != (settings.elements, settings.isEnabled) else { return }
            (state.elements, state.isEnabled) = (settings.elements, settings.isEnabled)
            if state.isReady { Self.replaceProbes(&state, host) }
        }
    }

    func start(_ host: ElementHost) {
        state.withLock { state in
            state.isReady = true
            Self.replaceProbes(&state, host)
        }
    }

    private static func replaceProbes(_ state: inout State, _ host: ElementHost) {
        state.tap?.stop()
        state.tap = state.isEnabled ? tap(host, state.elements) : nil
        state.tap?.start()
    }

    /// Returns the tap with the probes, or a new tap if the pipeline or the properties have changed.
    func take(_ host: ElementHost, _ settings: PerformanceMonitorSettings) -> PipelineTap? {
        let (early, elements) = state.withLock { state in
            defer { (state.tap, state.isReady) = (nil, false) }
            return (state.tap, state.elements)
        }
        let tap = Self.tap(host, settings.elements)
        guard let early else { return tap }
        if let tap, early.watchesPipeline(of: tap), elements == settings.elements, settings.isEnabled { return early }
        early.stop()
        return tap
    }

    func stop() {
        state.withLock { state in
            state.tap?.stop()
            (state.tap, state.isReady) = (nil, false)
        }
    }

    private static func tap(_ host: ElementHost, _ elements: String?) -> PipelineTap? {
        host.outermostBin.map { PipelineTap($0, isWatched: PerformanceMonitorSettings.choice(of: elements)) }
    }
}
