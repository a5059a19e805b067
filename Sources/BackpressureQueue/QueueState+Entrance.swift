import Durations
import GStreamer
import QueuePolicy

extension QueueState {
    typealias Item = QueueItem<QueuedData>

    /// Enqueues or drops a frame; `runningTime` is the running time of the pipeline at its arrival.
    mutating func enter(
        _ item: inout Item?, _ facts: BufferFacts, _ attempt: inout QueueAttempt, runningTime: Duration?,
        inFlight: Int, _ now: Duration
    ) -> QueueEntry {
        let frame = frame(facts, enteredAt: now, machine.policy.playback == .playing ? runningTime : nil)
        let entry = machine.frameArrived(&item, frame, &attempt, inFlight: inFlight, now: now)
        if case .enqueued = entry { segment.advance(over: facts) }
        return entry
    }

    /// Actions that are due when a frame arrives, independent of the frame.
    struct DueActions {
        var queriesLiveness = false
        /// Duration of a push that has not returned; nil if it is not overdue.
        var blockedFor: Duration?
    }

    mutating func addDueActions(to due: inout DueActions, _ now: Duration) {
        if let time = livenessQueryAt, time <= now { (livenessQueryAt, due.queriesLiveness) = (nil, true) }
        due.blockedFor = due.blockedFor ?? machine.pushBlocked(now)
    }

    // MARK: Events

    /// Content of an event that the state of the queue depends on.
    enum EventContent {
        case none
        case segment(Segment?)
        /// `isRaw` is true for raw video and audio: no buffer depends on another for decoding.
        case caps(StreamKind, isRaw: Bool, frameDuration: Duration?)
        case gap(start: Duration, duration: Duration?)

        init(_ event: borrowing Event) {
            self = .none
            switch event.kind {
            case .segment: self = .segment(event.segment)
            case .caps:
                guard let caps = event.caps, let name = caps.mediaType() else { break }
                var duration: Duration?
                if case .fraction(let rate) = caps.value("framerate"), rate.numerator > 0, rate.denominator > 0 {
                    duration = .nanoseconds(UInt64(rate.denominator) * 1_000_000_000 / UInt64(rate.numerator))
                }
                self = .caps(StreamKind(capsName: name), isRaw: name.hasSuffix("/x-raw"), frameDuration: duration)
            case .gap: if let (start, duration) = event.gap, let start { self = .gap(start: start, duration: duration) }
            default: break
            }
        }
    }

    /// Enqueues a serialized event, or refuses it; the caller frees a refused event.
    mutating func enter(_ pending: inout QueuedData?, _ note: EventContent, canStart: Bool) -> QueueLife.EventAction {
        let action = machine.eventArrived(&pending, canStart: canStart, gapEndsAt: gapEnd(note))
        if case .enqueue = action { take(note) }
        return action
    }

    private func gapEnd(_ note: EventContent) -> Duration? {
        guard case .gap(let start, let duration) = note else { return nil }
        return segment.runningTime(of: start + (duration ?? .zero))
    }

    private mutating func take(_ note: EventContent) {
        switch note {
        case .none: return
        case .segment(let new):
            if let new { segment = new }
            livenessQueryAt = .zero
        case .caps(let kind, let isRaw, let duration):
            machine.policy.capsChanged(kind, isRaw: isRaw, frameDuration: duration)
        case .gap(let start, let duration):
            segment.position = start + (duration ?? .zero)
            machine.policy.gapEntered(
                from: segment.runningTime(of: start), to: segment.runningTime(of: segment.position))
        }
    }

    // MARK: Time

    private func frame(_ facts: BufferFacts, enteredAt: Duration, _ runningTime: Duration?) -> QueuedFrame {
        var frame = QueuedFrame()
        frame.measure(facts)
        frame.enteredAt = enteredAt
        let times = segment.runningTimes(of: facts)
        (frame.startsAt, frame.endsAt, frame.presentedAt) = (times.start, times.end, times.presented)
        if let runningTime, let presented = times.presented { frame.ageOnEntry = runningTime - presented }
        return frame
    }
}
