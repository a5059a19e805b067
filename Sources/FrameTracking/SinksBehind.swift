public import GStreamer

/// Synchronization of the elements downstream of a pad.
public struct SinksBehind: Sendable, Equatable {
    /// At least one element waits for the clock.
    public var anyKeepsTime = false
    /// All sinks, and at least one element, wait for the clock.
    public var allKeepTime = false
    /// At least one element that is not a sink waits for the clock.
    public var anyOtherKeepsTime = false
    /// Largest value of `ts-offset` minus `render-delay`.
    public var offset = Duration.zero
    /// Smallest `max-lateness`; nil if it is unlimited.
    public var maxLateness: Duration?
}

extension Pad {
    /// Synchronization of the elements downstream, read from their properties; includes elements such as `clocksync`.
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
                // A negative value is no limit.
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
