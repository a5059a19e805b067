/// When to take which rung: down soon, up with care.
///
/// A step down needs `downDwell` since the last change. A step up needs `upDwell` of calm, with nobody voting against
/// it; when the stream has to come down again soon after, the next climb waits twice as long, up to `longestUpDwell`.
/// An unknown level holds everything: it is no recovery.
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
    /// When the next step may be taken, unless something changes before; nil when none is wanted.
    public private(set) var due: Duration?
    private var lastChange: Duration?
    private var calmSince: Duration?
    private var lastUp: Duration?
    private var waits = 0
    /// By reason, the lowest rung each voter has asked for.
    private var votes: [String: Int] = [:]

    /// A voter who never repeats a reason must not fill the memory.
    private static let mostVotes = 64

    public init() {}

    /// The reasons beside heat that hold quality down.
    public var reasons: [String] { votes.keys.sorted() }

    /// Somebody asks for a step down; the same reason again asks for one more.
    public mutating func degrade(_ reason: String) {
        guard votes[reason] != nil || votes.count < Self.mostVotes else { return }
        votes[reason] = min(max(index, votes[reason] ?? 0) + 1, 1000)
    }

    /// Somebody no longer minds.
    public mutating func restore(_ reason: String) { votes[reason] = nil }

    public mutating func forgetVotes() { votes = [:] }

    /// The ladder is another one, and this its rung that was taken.
    public mutating func stand(on index: Int) { self.index = index }

    /// Decides on the rung; at most one step at a time.
    ///
    /// `entries` are the levels from which on each rung may be taken, the first being full quality.
    public mutating func update(_ level: ThermalLevel, entries: [ThermalLevel], now: Duration) -> Int {
        let last = max(0, entries.count - 1)
        index = min(index, last)
        let byHeat = entries.lastIndex { $0 <= level } ?? 0
        let byVote = min(votes.values.max() ?? 0, last)
        let wanted = max(level == .shutdown && survivesShutdown ? last : byHeat, byVote)
        due = nil
        if wanted > index {
            calmSince = nil
            if hasPassed(times.downDwell, since: lastChange, now) {
                noteFall(now)
                index = level == .shutdown && survivesShutdown ? last : index + 1
                lastChange = now
            }
            if wanted > index { due = (lastChange ?? now) + times.downDwell }
        } else if level == .unknown || byHeat >= index || !votes.isEmpty {
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
            if byHeat < index { due = max(calmSince ?? now, lastChange ?? now) + upDwell }
        }
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

    private func hasPassed(_ time: Duration, since: Duration?, _ now: Duration) -> Bool {
        guard let since else { return true }
        return now - since >= time
    }
}
