import GStreamer
import MonitorEngine
import Synchronization

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

    /// Orders the changes of the probes; no streaming thread takes it.
    private let order = Mutex(())
    private let state = Mutex(State())

    /// Follows the properties, also in READY.
    func apply(_ settings: PerformanceMonitorSettings, _ host: ElementHost) {
        order.withLock { _ in
            let hasChanged = state.withLock { state in
                defer { (state.elements, state.isEnabled) = (settings.elements, settings.isEnabled) }
                return state.isReady && (state.elements, state.isEnabled) != (settings.elements, settings.isEnabled)
            }
            if hasChanged { replaceProbes(host) }
        }
    }

    /// Adds the probes, if the element is in a pipeline.
    func start(_ host: ElementHost) {
        order.withLock { _ in
            state.withLock { $0.isReady = true }
            replaceProbes(host)
        }
    }

    private func replaceProbes(_ host: ElementHost) {
        let (old, elements, isEnabled) = state.withLock { state in
            defer { state.tap = nil }
            return (state.tap, state.elements, state.isEnabled)
        }
        old?.stop()
        guard isEnabled, let tap = Self.tap(host, elements) else { return }
        tap.start()
        state.withLock { $0.tap = tap }
    }

    /// Returns the tap with the probes, or a new one if the pipeline or the properties are not those of the probes.
    func take(_ host: ElementHost, _ settings: PerformanceMonitorSettings) -> PipelineTap? {
        let (early, elements) = order.withLock { _ in
            state.withLock { state in
                defer { (state.tap, state.isReady) = (nil, false) }
                return (state.tap, state.elements)
            }
        }
        let tap = Self.tap(host, settings.elements)
        guard let early else { return tap }
        if let tap, early.watchesPipeline(of: tap), elements == settings.elements, settings.isEnabled { return early }
        early.stop()
        return tap
    }

    /// Removes the probes.
    func stop() {
        order.withLock { _ in
            let tap = state.withLock { state in
                defer { (state.tap, state.isReady) = (nil, false) }
                return state.tap
            }
            tap?.stop()
        }
    }

    private static func tap(_ host: ElementHost, _ elements: String?) -> PipelineTap? {
        let pattern = ElementPattern(elements)
        return PipelineTap(around: host) { pattern.matches([$0.name, $0.factory]) }
    }
}
