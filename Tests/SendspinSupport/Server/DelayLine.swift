import Durations

/// Elements that leave in their order, each after its own delay and not during a stall.
struct DelayLine<Element> {
    private var waiting: [(element: Element, release: Duration)] = []
    private var stalledUntil = Duration.zero

    var count: Int { waiting.count }

    /// Time at which the next element leaves; nil if there is none.
    var deadline: Duration? { waiting.first.map { max($0.release, stalledUntil) } }

    mutating func append(_ element: Element, at now: Duration, delay: Duration) {
        // Like packets of TCP, elements do not overtake each other.
        waiting.append((element, max(waiting.last?.release ?? .zero, now + delay)))
    }

    /// Holds all elements until a time.
    mutating func stall(until time: Duration) { stalledUntil = max(stalledUntil, time) }

    /// Removes and returns the next element, if it may leave.
    mutating func next(at now: Duration) -> Element? {
        guard let deadline, now >= deadline else { return nil }
        return waiting.removeFirst().element
    }

    mutating func removeAll() { waiting.removeAll() }
}
