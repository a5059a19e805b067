import Durations

/// A queue of elements, each of which leaves in order after its own delay, but not during a stall.
struct DelayLine<Element> {
    private var waiting: [(element: Element, release: Duration)] = []
    /// Index of the next element; earlier elements have left.
    private var first = 0
    private var stalledUntil = Duration.zero

    var count: Int { waiting.count - first }

    /// Time at which the next element leaves; nil if the queue is empty.
    var deadline: Duration? { count > 0 ? max(waiting[first].release, stalledUntil) : nil }

    mutating func append(_ element: Element, at now: Duration, delay: Duration) {
        // Like packets of TCP, elements do not overtake each other.
        waiting.append((element, max(waiting.last?.release ?? .zero, now + delay)))
    }

    /// Holds all elements at least until the time `time`.
    mutating func stall(until time: Duration) { stalledUntil = max(stalledUntil, time) }

    /// Removes and returns the next element, if its time has come.
    mutating func next(at now: Duration) -> Element? {
        guard let deadline, now >= deadline else { return nil }
        let element = waiting[first].element
        first += 1
        if first == waiting.count || first == 256 {
            waiting.removeFirst(first)
            first = 0
        }
        return element
    }
}
