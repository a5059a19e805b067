import GStreamer
import MonitorEngine
import Threads

/// Probes that are added in READY.
///
/// A bin starts its sinks first, then what is linked to them, and elements without pads last. In PAUSED the sources have
/// already sent frames.
final class EarlyTap: Sendable {
    private struct State {
        var elements: String?
        var isEnabled = true
        var isReady = false
        var tap: PipelineTap?
    }

    /// Locked also while probes are added and removed, which orders the changes; no streaming thread takes it.
    private let state = Mutex(State())

    /// Follows the properties, also in READY.
    func apply(_ settings: PerformanceMonitorSettings, _ host: ElementHost) {
        state.withLock { state in
            guard (state.elements, state.isEnabled) != (settings.elements, settings.isEnabled) else { return }
            (state.elements, state.isEnabled) = (settings.elements, settings.isEnabled)
            if state.isReady { Self.replaceProbes(&state, host) }
        }
    }

    /// Adds the probes, if the element is in a pipeline.
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

    /// Returns the tap with the probes, or a new one if the pipeline or the properties are not those of the probes.
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

    /// Removes the probes.
    func stop() {
        state.withLock { state in
            state.tap?.stop()
            (state.tap, state.isReady) = (nil, false)
        }
    }

    private static func tap(_ host: ElementHost, _ elements: String?) -> PipelineTap? {
        let pattern = ElementPattern(elements)
        return PipelineTap(around: host) { pattern.matches([$0.name, $0.factory]) }
    }
}
