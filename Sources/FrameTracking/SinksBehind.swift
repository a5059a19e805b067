public import GStreamer

/// The elements behind a pad that wait for the time of each frame.
public struct SinksBehind: Sendable, Equatable {
    /// At least one element waits for the clock.
    public var anyKeepsTime = false
    /// At least one element waits for the clock, and all sinks do.
    public var allKeepTime = false
    /// One of them is no sink.
    public var anyOtherKeepsTime = false
    /// The largest `ts-offset` less `render-delay`, in nanoseconds.
    public var offset: Int64 = 0
    /// The smallest `max-lateness`, in nanoseconds; nil when they show frames however late.
    public var maxLateness: UInt64?
}

extension Pad {
    /// Which elements behind this pad wait for the time of each frame: sinks, `clocksync` and their like.
    public var sinksBehind: SinksBehind {
        var behind = SinksBehind()
        var anyDoesNot = false
        forEachLinkedElement { element in
            if element.value("sync") == .bool(true) {
                let delay = Int64(clamping: element.unsignedTime("render-delay") ?? 0)
                let (offset, isFar) = (element.time("ts-offset") ?? 0).subtractingReportingOverflow(delay)
                let first = behind.anyKeepsTime ? behind.offset : .min
                behind.offset = max(first, isFar ? .min : offset)
                behind.anyKeepsTime = true
                if !element.isSink { behind.anyOtherKeepsTime = true }
                // Negative is no limit.
                if let most = element.time("max-lateness"), most >= 0 {
                    behind.maxLateness = min(behind.maxLateness ?? .max, UInt64(most))
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
    fileprivate func time(_ property: String) -> Int64? {
        if case .int64(let time) = value(property) { time } else { nil }
    }

    fileprivate func unsignedTime(_ property: String) -> UInt64? {
        if case .uint64(let time) = value(property) { time } else { nil }
    }
}
