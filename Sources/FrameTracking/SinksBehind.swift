public import GStreamer

/// The elements behind a pad that wait for the time of each frame.
public struct SinksBehind: Sendable, Equatable {
    /// At least one element waits for the clock.
    public var anyKeepsTime = false
    /// At least one element waits for the clock, and all sinks do.
    public var allKeepTime = false
    /// One of them is no sink.
    public var anyOtherKeepsTime = false
    /// The largest `ts-offset` less `render-delay`.
    public var offset = Duration.zero
    /// The smallest `max-lateness`; nil when they show frames however late.
    public var maxLateness: Duration?
}

extension Pad {
    /// Which elements behind this pad wait for the time of each frame: sinks, `clocksync` and their like.
    public var sinksBehind: SinksBehind {
        var behind = SinksBehind()
        var anyDoesNot = false
        forEachLinkedElement { element in
            if element.value("sync") == .bool(true) {
                let delay = element.unsignedTime("render-delay") ?? .zero
                let offset = (element.time("ts-offset") ?? .zero) - delay
                behind.offset = behind.anyKeepsTime ? max(behind.offset, offset) : offset
                behind.anyKeepsTime = true
                if !element.isSink { behind.anyOtherKeepsTime = true }
                // Negative is no limit.
                if let most = element.time("max-lateness"), most >= .zero {
                    behind.maxLateness = min(behind.maxLateness ?? most, most)
                }
            } else if element.isSink {
                anyDoesNot = true
            }
            return true
        }
        behind.allKeepTime = behind.anyKeepsTime && !anyDoesNot
        return behind
    }
}

extension ElementReference {
    fileprivate func time(_ property: String) -> Duration? {
        if case .int64(let time) = value(property) { .nanoseconds(time) } else { nil }
    }

    fileprivate func unsignedTime(_ property: String) -> Duration? {
        if case .uint64(let time) = value(property) { .nanoseconds(time) } else { nil }
    }
}
