import Durations

/// Rate at which downstream releases frames.
///
/// Frames released together, such as the packets of a group of pictures, are one event with several frames.
public struct ReleaseRate: Sendable {
    /// Releases within this time form one event.
    static let together = Duration.milliseconds(1)
    private static let longestGap = Duration.seconds(3600)
    private static let size = 8

    private struct Event: Sendable {
        var time = Duration.zero
        var frames: UInt32 = 0
    }

    // Fixed size, because the streaming thread must not allocate.
    private var events = InlineArray<8, Event>(repeating: Event())
    private var count = 0
    private var next = 0
    /// Time of the last event.
    public private(set) var lastAt: Duration?
    /// Usual time between two events.
    ///
    /// It rises at once to a longer gap; if that gap is at least four times as long, it rises by 10 % only. It falls
    /// by at most 3 % per event.
    public private(set) var usualGap: Duration?

    public init() {}

    /// Records a release.
    ///
    /// Times may be slightly out of order, because releasing threads race.
    public mutating func frameReleased(at time: Duration) {
        guard let last = lastAt else {
            append(time)
            return
        }
        guard time - last >= Self.together else {
            events[(next + Self.size - 1) % Self.size].frames &+= 1
            return
        }
        let gap = min(time - last, Self.longestGap)
        if let usual = usualGap {
            // A single long stall is not the usual gap.
            let risen = gap < usual * 4 ? gap : usual + (usual / 10)
            usualGap = max(risen, usual - (usual / 32))
        } else {
            usualGap = gap
        }
        append(time)
    }

    /// Mean time between two frames; nil until two events are recorded.
    public var perFrame: Duration? {
        guard count >= 2 else { return nil }
        var frames = 0
        var (first, last) = (Duration.zero, Duration.zero)
        for index in 0..<count {
            let event = events[(next + Self.size - count + index) % Self.size]
            if index == 0 { first = event.time } else { frames += Int(event.frames) }
            last = event.time
        }
        return last > first ? (last - first) / max(frames, 1) : nil
    }

    public mutating func reset() { self = Self() }

    private mutating func append(_ time: Duration) {
        events[next] = Event(time: time, frames: 1)
        next = (next + 1) % Self.size
        count = min(count + 1, Self.size)
        lastAt = time
    }
}
