import MachineState

/// When to take which rung: down soon, up with care.
///
/// A step down needs `downDwell` since the last change. A step up needs `upDwell` of calm, with nobody voting against
/// it; when the stream has to come down again soon after, the next climb waits twice as long, up to `longestUpDwell`.
/// An unknown level holds what heat has brought about: it is no recovery. What was only voted down comes back.
public struct LadderClimb: Sendable {
    public struct Times: Sendable, Equatable {
        public var downDwell: Duration = .seconds(2)
        public var upDwell: Duration = .seconds(40)
        public var longestUpDwell: Duration = .seconds(240)

        public init() {}
    }

    public var times = Times()
    /// Whether shutdown is one more reason to go down, and not the end.
    public var survivesShutdown = false

    public private(set) var index = 0
    /// When the next step may be taken, or a vote ends, unless something changes before; nil when nothing is expected.
    public private(set) var due: Duration?
    /// The lowest rung that heat has asked for and that has not been left since.
    private var heatRung = 0
    private var lastChange: Duration?
    private var calmSince: Duration?
    private var lastUp: Duration?
    private var waits = 0
    private struct Vote {
        /// The lowest rung the voter has asked for.
        var rung: Int
        /// Nil until it is taken back.
        var end: Duration?
    }

    /// By reason.
    private var votes: [String: Vote] = [:]

    /// A voter who never repeats a reason must not fill the memory.
    private static let mostVotes = 64

    public init() {}

    /// The reasons beside heat that hold quality down.
    public var reasons: [String] { votes.keys.sorted() }

    /// Somebody asks for a step down.
    ///
    /// Without an `end` that holds until `restore`, and the same reason again asks for one more. With one the vote ends
    /// by itself, and the same reason again only moves its end: who says every second that it is still so must not end
    /// at the bottom.
    public mutating func degrade(_ reason: String, until end: Duration? = nil) {
        let old = votes[reason]
        guard old != nil || votes.count < Self.mostVotes else { return }
        let more = min(max(index, old?.rung ?? 0) + 1, 1000)
        votes[reason] = Vote(rung: end == nil ? more : old?.rung ?? more, end: end)
    }

    /// Somebody no longer minds.
    public mutating func restore(_ reason: String) { votes[reason] = nil }

    /// The ladder is another one, and `rung` gives its rung for each of the old one's.
    ///
    /// Who votes still asks for a step, though none of the new ones is as small.
    public mutating func stand(on rung: (Int) -> Int) {
        index = rung(index)
        heatRung = min(rung(heatRung), index)
        votes = votes.mapValues { Vote(rung: max(1, rung($0.rung)), end: $0.end) }
    }

    /// Decides on the rung; at most one step at a time.
    ///
    /// `entries` are the levels from which on each rung may be taken, the first being full quality.
    public mutating func update(_ level: ThermalLevel, entries: [ThermalLevel], now: Duration) -> Int {
        let last = max(0, entries.count - 1)
        index = min(index, last)
        votes = votes.filter { $0.value.end.map { now < $0 } ?? true }
        let byHeat = level == .unknown ? min(heatRung, index) : entries.lastIndex { $0 <= level } ?? 0
        let byVote = min(votes.values.map(\.rung).max() ?? 0, last)
        let wanted = max(level == .shutdown && survivesShutdown ? last : byHeat, byVote)
        due = votes.values.compactMap(\.end).min()
        if wanted > index {
            calmSince = nil
            if hasPassed(times.downDwell, since: lastChange, now) {
                noteFall(now)
                index = level == .shutdown && survivesShutdown ? last : index + 1
                lastChange = now
            }
            if wanted > index { expect((lastChange ?? now) + times.downDwell) }
        } else if byHeat >= index || !votes.isEmpty {
            calmSince = nil
        } else {
            let start = calmSince ?? now
            calmSince = start
            if hasPassed(upDwell, since: max(start, lastChange ?? start), now) {
                if let up = lastUp, now - up > failureWindow { waits = 0 }
                index -= 1
                lastUp = now
                lastChange = now
                calmSince = now
            }
            if byHeat < index { expect(max(calmSince ?? now, lastChange ?? now) + upDwell) }
        }
        heatRung = min(max(heatRung, byHeat), index)
        return index
    }

    /// The wait before the next step up.
    public var upDwell: Duration {
        min(times.upDwell * (1 << min(waits, 20)), max(times.longestUpDwell, times.upDwell))
    }

    /// A climb has failed when it did not last this long: machines take minutes to become hot again.
    private var failureWindow: Duration { max(upDwell, times.longestUpDwell) * 2 }

    private mutating func noteFall(_ now: Duration) {
        guard let up = lastUp else { return }
        if now - up <= failureWindow { waits = min(waits + 1, 20) } else { waits = 0 }
        lastUp = nil
    }

    private mutating func expect(_ time: Duration) { due = min(due ?? time, time) }

    private func hasPassed(_ time: Duration, since: Duration?, _ now: Duration) -> Bool {
        guard let since else { return true }
        return now - since >= time
    }
}
