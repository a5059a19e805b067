import CGStreamer
import GStreamer
import GstTestSupport
import Threads

/// A live source that executes the steps that a test adds.
final class ScriptedSource: PushSource, ConcurrentElement {
    static let factoryName = "swifttestscripted"
    static let typeName = "GstSwiftTestScripted"
    static let metadata = ElementMetadata("Scripted", classification: "Source", description: "Tests", author: "Tests")
    static let padTemplates: [PadTemplate] = [.source("application/x-numbers; application/x-letters")]
    static let isLive = true
    static let setsCapsInCreate = true
    static let latency = Duration.milliseconds(30)

    struct Settings: ElementSettings {
        typealias Report = Script
        static let properties: [Property<Self>] = []
    }

    let host: ElementHost
    let report: Script

    init(host: ElementHost) {
        self.host = host
        report = Script(host)
        host.setProvidesClock()
    }

    func create(_ settings: Settings) throws(FlowResult) -> GStreamer.Buffer {
        while true {
            guard let step = report.next() else { throw .flushing }
            if let buffer = step(host) { return buffer }
        }
    }

    func provideClock() -> ClockReference? { report.clock.withLock { $0 } }

    static func answer(_ query: borrowing Query, _ report: Script) -> Bool? {
        guard query.kind == .latency else { return nil }
        query.latency = (true, latency, nil)
        return true
    }

    static func handle(_ event: borrowing Event, _ report: Script) -> Bool? {
        report.received(event)
        return nil
    }

    static func unlock(_ report: Script) { report.setFlushing(true) }
    static func unlockStop(_ report: Script) { report.setFlushing(false) }
}

/// The steps of a `ScriptedSource`, and the events that it has received from downstream.
final class Script: Sendable {
    /// A step that returns a buffer, or nil if the source must continue with the next step.
    typealias Step = @Sendable (ElementHost) -> GStreamer.Buffer?

    private struct State {
        var steps: [Step] = []
        var isFlushing = false
    }

    let host: ElementHost
    let latencies = Mutex<[Duration]>([])
    let delays = Mutex<[Duration]>([])
    /// The clock that the source provides.
    let clock = Mutex<ClockReference?>(nil)
    private let monitor = Monitor(State(), conditions: 1)

    init(_ host: ElementHost) { self.host = host }

    func add(_ step: @escaping Step) {
        monitor.change { state in
            state.steps.append(step)
            monitor.mutex.wakeAll()
        }
    }

    /// Adds a step that pushes an event.
    func push(_ event: @escaping @Sendable () -> Event?) {
        add { host in
            if let event = event() { host.pad("src")?.push(event) }
            return nil
        }
    }

    /// Adds a step that returns a buffer of one byte.
    func buffer(_ byte: UInt8, pts: Duration? = nil) {
        add { _ in
            var buffer = GStreamer.Buffer(copying: [byte].span)
            buffer?.pts = pts
            return buffer
        }
    }

    /// Waits for the next step; nil while the source is flushing.
    func next() -> Step? {
        monitor.await { state -> Monitor<State>.Step<Step?> in
            if state.isFlushing { return .done(nil) }
            return state.steps.isEmpty ? .wait(0, until: nil) : .done(state.steps.removeFirst())
        }
    }

    func setFlushing(_ isFlushing: Bool) {
        monitor.change { state in
            state.isFlushing = isFlushing
            monitor.mutex.wakeAll()
        }
    }

    func received(_ event: borrowing Event) {
        if let latency = event.latency { latencies.withLock { $0.append(latency) } }
        if let report = event.qualityOfService { delays.withLock { $0.append(report.jitter) } }
    }
}
