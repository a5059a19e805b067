import CSystem
public import GStreamer
import MonitorPolicy
import Threads

/// Watches the elements of one pipeline, including elements that are added later.
///
/// `start`, `suspend` and `stop` may be called while the pipeline plays, from any thread except a streaming thread.
/// Elements may be added and removed on any thread.
public final class PipelineTap: @unchecked Sendable {  // C objects are only used through MT safe calls.
    private struct Registry {
        var elements: [UInt: ElementTap] = [:]
        /// Elements that were removed, or released by `stop`, oldest first.
        var former: [ElementTap] = []
        var hasProbes = false
        var connections: SignalConnections?
    }

    static let longestHistory = 64
    /// A longer time without frames before PLAYING is a pause; in nanoseconds: 100 ms.
    private static let shortestPause: UInt64 = 100_000_000

    /// The pipeline; the tap holds no reference to it.
    public let host: ElementHost
    /// Name of the pipeline.
    public let name: String
    private let identity: UInt
    private let isWatched: @Sendable (ElementReference) -> Bool
    private let isTraced: Bool
    private let clock: StreamClock
    /// Wakes the thread that calls `refresh` when elements, pads or links are added.
    public let changes = PipelineChanges()
    private let registry = Mutex(Registry())

    /// Creates a tap for the elements of a bin that `isWatched` accepts, with probes or the hooks of a tracer.
    public init(
        _ top: ElementReference, isTraced: Bool = false, isWatched: @escaping @Sendable (ElementReference) -> Bool
    ) {
        host = top.withUnsafePointer { ElementHost(unsafe: $0) }
        name = top.name
        identity = top.identity
        clock = StreamClock(of: host)
        self.isTraced = isTraced
        self.isWatched = isWatched
    }

    deinit { stop() }

    /// Whether both taps watch the same pipeline.
    public func watchesPipeline(of other: PipelineTap) -> Bool {
        // A new pipeline may have the address of a freed one.
        identity == other.identity && host.retained() != nil
    }

    /// Adds probes to all elements, or begins to record them by hooks.
    public func start() {
        guard let top = host.retained() else { return }
        registry.withLock { registry in
            registry.hasProbes = true
            guard registry.connections == nil else { return }
            var connections = top.withUnsafePointer { SignalConnections($0) }
            connections.connect("deep-element-added", self, deep: Self.added)
            connections.connect("deep-element-removed", self, deep: Self.removed)
            registry.connections = connections
        }
        for element in top.allElements() { add(element) }
        for tap in registry.withLock({ Array($0.elements.values) }) { tap.watch() }
        refresh()
    }

    /// Removes all probes until `start`; the figures remain and continue after `start`.
    public func suspend() {
        let taps = registry.withLock { registry in
            registry.hasProbes = false
            return Array(registry.elements.values)
        }
        for tap in taps { tap.suspend(now: now) }
    }

    /// Removes all probes and signal handlers; the figures remain.
    public func stop() {
        var connections = registry.withLock { registry in
            defer { registry.connections = nil }
            return registry.connections
        }
        host.withUnsafePointer { _ in connections?.disconnectAll() }
        for tap in registry.withLock({ registry in
            defer { registry.elements = [:] }
            registry.hasProbes = false
            for tap in registry.elements.values { Self.retire(tap, &registry) }
            return Array(registry.elements.values)
        }) { tap.detach() }
    }

    /// Reads changes of links and of the clock; call it once a second, after state changes, and when `changes` wakes.
    public func refresh(isStarting: Bool = false) {
        changes.beginReading()
        clock.refresh(isStarting: isStarting)
        if isTraced { TracedPads.shared.collect() }
        let taps = registry.withLock { $0.elements }
        for tap in taps.values { tap.promoteOrigins() }
        var upstream = UpstreamMap()
        for tap in taps.values {
            guard let element = tap.reference else { continue }
            let (elements, isRetimed) = upstream.elements(from: element)
            tap.publish(elements.flatMap { taps[$0]?.origins ?? [] }, isRetimed: isRetimed)
        }
    }

    /// Begins a quiet time until the next frame, before the pipeline changes to PAUSED.
    public func pause() {
        let now = now
        clock.forget()
        for tap in registry.withLock({ Array($0.elements.values) }) { tap.record.quiet.begin(now: now, until: .max) }
    }

    /// Discards the times of frames that wait in elements, because their latency would include the pause.
    ///
    /// Without a pause, as when PLAYING follows preroll at once, all frames are measured.
    public func resume() {
        let taps = registry.withLock { Array($0.elements.values) }
        let now = now
        if let last = taps.compactMap(\.record.lastFrame).max(), now > last, now - last > Self.shortestPause {
            for tap in taps { tap.forgetFrames() }
        }
        refresh(isStarting: true)
    }

    /// Current time on the clock of all records, the monotonic clock, in nanoseconds.
    public var now: UInt64 { ctracing_monotonic() }

    /// Sends a custom event upstream from the element `id`, or from all sinks if `id` is nil.
    ///
    /// Nothing is sent from a removed element. Call this while no mutex is locked. The corresponding C function is
    /// `gst_element_send_event`.
    public func sendUpstream(_ structure: Structure, from id: Int?) {
        let present = registry.withLock { Array($0.elements.values) }
        for tap in present where id.map({ tap.id == $0 }) ?? tap.isSink {
            guard let element = tap.reference, let event = Event.custom(structure, isUpstream: true) else { continue }
            element.send(event)
        }
    }

    /// Present elements and removed elements.
    public var elements: (present: [ElementTap], former: [ElementTap]) {
        registry.withLock { (Array($0.elements.values), $0.former) }
    }

    // MARK: Elements come and go

    private static let added: SignalConnections.DeepHandler = { _, _, element, data in
        guard let element, let data else { return }
        Unmanaged<PipelineTap>.fromOpaque(data)._withUnsafeGuaranteedRef { $0.add(ElementReference(unsafe: element)) }
    }

    private static let removed: SignalConnections.DeepHandler = { _, _, element, data in
        guard let element, let data else { return }
        Unmanaged<PipelineTap>.fromOpaque(data)._withUnsafeGuaranteedRef { $0.remove(UInt(bitPattern: element)) }
    }

    private func add(_ element: ElementReference) {
        guard !element.isBin || element.withUnsafePointer({ ReportedValues.includesHeat($0) }) else { return }
        guard element.canHavePads else { return }
        let key = element.identity
        let tap = registry.withLock { registry -> ElementTap? in
            guard registry.connections != nil, registry.elements[key] == nil, isWatched(element) else { return nil }
            let tap = ElementTap(element, clock: clock, changes: changes, isTraced: isTraced, now: now)
            registry.elements[key] = tap
            return tap
        }
        guard let tap else { return }
        tap.attach()
        if registry.withLock({ $0.hasProbes }) {
            tap.watch()
            // A call of `suspend` on another thread meanwhile takes precedence.
            if !registry.withLock({ $0.hasProbes }) { tap.suspend(now: now) }
        }
        changes.note()
    }

    private func remove(_ element: UInt) {
        let tap = registry.withLock { registry in
            let tap = registry.elements.removeValue(forKey: element)
            if let tap { Self.retire(tap, &registry) }
            return tap
        }
        tap?.detach()
    }

    private static func retire(_ tap: ElementTap, _ registry: inout Registry) {
        tap.record.quiet.begin(now: ctracing_monotonic(), until: .max)
        registry.former.append(tap)
        if registry.former.count > longestHistory { registry.former.removeFirst() }
    }
}

/// Finds the elements upstream; reads the links of each element once.
struct UpstreamMap {
    private var linked: [UInt: [ElementReference]] = [:]

    /// Identities of `element` and of all elements upstream of it whose frames have the same running times.
    ///
    /// A demuxer sets the times of the container, which are rounded or have another origin. Elements upstream of it are
    /// omitted. If one of them is a muxer, running times downstream differ from those of the source.
    mutating func elements(from element: ElementReference) -> (elements: [UInt], isRetimed: Bool) {
        var found = [element.identity]
        var isRetimed = false
        var seen: Set<UInt> = [element.identity]
        var open = [(element: element, isBeyond: false)]
        while let (next, wasBeyond) = open.popLast() {
            let isBeyond = wasBeyond || next.classes.contains("Demuxer")
            let links = linked[next.identity] ?? next.elementsLinkedUpstream()
            linked[next.identity] = links
            for link in links where seen.insert(link.identity).inserted {
                if !isBeyond { found.append(link.identity) }
                isRetimed = isRetimed || (isBeyond && link.classes.contains("Muxer"))
                open.append((link, isBeyond))
            }
        }
        return (found, isRetimed)
    }
}
