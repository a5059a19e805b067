import TestSupport

@testable import QueuePolicy

/// Simulation of a source, a queue with `BackpressurePolicy`, and a model of downstream.
///
/// The simulation serves to compare policies, because real pipelines have other absolute figures. Times are in seconds.
final class QueueSimulation {
    /// A live stream of independent frames.
    struct Source {
        var rate = 30.0
        /// Latency of the pipeline.
        ///
        /// With `hasDeadline` the sinks wait for the clock.
        var latency = 0.0
        var hasDeadline = false
        /// Maximum lateness of a frame that the sink renders.
        var tolerance = Double.infinity
        /// Maximum of the random delays with which frames arrive.
        var jitter = 0.0
        var kind = StreamKind.pictures
    }

    /// A frame and its times.
    final class Frame {
        let bornAt: Double
        var enteredAt = 0.0
        var pushedAt = 0.0
        var queued = QueuedFrame()
        init(bornAt: Double) { self.bornAt = bornAt }
    }

    private let source: Source
    private let seconds: Double
    private var downstream: any Downstream
    private var policy = BackpressurePolicy()
    private var events: [(time: Double, order: Int, action: () -> Void)] = []
    private var order = 0
    private(set) var now = 0.0
    private var queue: [Frame] = []
    private var inFlight: [Frame] = []
    private var isPushing = false
    private var nextCheck = Double.infinity
    private(set) var dropped = 0
    /// For each finished frame, the time at which it was finished, and its age at this time.
    private(set) var finished: [(at: Double, age: Double)] = []
    private(set) var wasOverloaded = false
    /// A function that inspects the policy after each decision at the exit.
    var watch: ((_ time: Double, _ policy: BackpressurePolicy, _ waiting: Int, _ inFlight: Int) -> Void)?

    init(_ source: Source, seconds: Double = 20, _ downstream: any Downstream) {
        self.source = source
        self.seconds = seconds
        self.downstream = downstream
        policy.isLive = true
        policy.capsChanged(source.kind, isRaw: source.kind == .pictures, frameDuration: duration(1 / source.rate))
        policy.latencyEventArrived(
            duration(source.latency),
            SinkTiming(
                anyKeepsTime: source.hasDeadline, allKeepTime: source.hasDeadline,
                tolerance: source.tolerance.isFinite ? duration(source.tolerance) : nil))
    }

    func run() -> Self {
        var noise = Random(seed: 1)
        var arrival = 0.0
        for number in 0..<Int(seconds * source.rate) {
            let frame = Frame(bornAt: Double(number) / source.rate)
            // Frames arrive in order, so a late frame delays the following frames.
            arrival = max(arrival, frame.bornAt + (source.jitter * noise.share()))
            at(arrival) { [unowned self] in arrive(frame) }
        }
        while let next = events.indices.min(by: {
            (events[$0].time, events[$0].order) < (events[$1].time, events[$1].order)
        }) {
            let event = events.remove(at: next)
            now = max(now, event.time)
            event.action()
        }
        return self
    }

    /// Percentile `part` (0 to 1) of the age of the frames finished after `start`.
    func age(_ part: Double, after start: Double = 0) -> Double {
        let ages = finished.filter { $0.at >= start && $0.at <= seconds }.map(\.age).sorted()
        return ages.isEmpty ? .infinity : ages[min(Int(Double(ages.count) * part), ages.count - 1)]
    }

    func finished(by time: Double) -> Int { finished.count { $0.at <= time } }

    // MARK: Interface for models of downstream

    func at(_ time: Double, _ action: @escaping () -> Void) {
        order += 1
        events.append((time, order, action))
    }

    func finish(_ frame: Frame, at time: Double) { finished.append((time, time - frame.bornAt)) }

    func release(_ frame: Frame, at time: Double) {
        at(time) { [unowned self] in
            guard let index = inFlight.firstIndex(where: { $0 === frame }) else { return }
            inFlight.remove(at: index)
            policy.frameReleased(
                pushedAt: duration(frame.pushedAt), at: duration(now), age: duration(now - frame.bornAt),
                inFlight: inFlight.count)
            decide()
        }
    }

    // MARK: Queue

    private func arrive(_ frame: Frame) {
        frame.enteredAt = now
        frame.queued.enteredAt = duration(now)
        frame.queued.ageOnEntry = duration(now - frame.bornAt)
        frame.queued.bytes = 115_200
        while true {
            let arrival = policy.frameArrived(
                frame.queued, oldest: queue.first?.queued, inFlight: inFlight.count, now: duration(now))
            switch arrival {
            case .makeRoom(let reason): dropOldest(reason)
            case .enqueue:
                policy.frameEnqueued(frame.queued)
                queue.append(frame)
                return decide()
            case .drop, .waitForRoom: fatalError("a live queue of pictures drops its oldest")
            }
        }
    }

    private func dropOldest(_ reason: DropReason) {
        policy.queuedDropped(queue.removeFirst().queued, reason, now: duration(now))
        dropped += 1
    }

    private func decide() {
        defer { watch?(now, policy, queue.count, inFlight.count) }
        while !isPushing, let frame = queue.first {
            let departure = policy.frameIsNext(
                frame.queued, inFlight: inFlight.count, oldestPushedAt: inFlight.first.map { duration($0.pushedAt) },
                now: duration(now))
            wasOverloaded = wasOverloaded || policy.overload.isOverloaded
            switch departure {
            case .drop(let reason): dropOldest(reason)
            case .push: push(queue.removeFirst())
            case .expireOldest:
                policy.frameExpired()
                inFlight.removeFirst()
            case .waitForCredit(let deadline):
                guard let deadline else { return }
                let time = deadline / .seconds(1) + 1e-6
                if time < nextCheck || nextCheck <= now {
                    nextCheck = time
                    at(time) { [unowned self] in decide() }
                }
                return
            }
        }
    }

    private func push(_ frame: Frame) {
        frame.pushedAt = now
        policy.framePushed(frame.queued, now: duration(now))
        inFlight.append(frame)
        isPushing = true
        at(max(now, downstream.push(frame, self))) { [unowned self] in
            isPushing = false
            policy.pushReturned(bornAt: frame.queued.bornAt, pushedAt: duration(frame.pushedAt), now: duration(now))
            decide()
        }
    }

    /// The time in whole nanoseconds, the unit of clocks and timestamps.
    private func duration(_ seconds: Double) -> Duration { .nanoseconds(Int64(seconds * 1e9)) }
}
