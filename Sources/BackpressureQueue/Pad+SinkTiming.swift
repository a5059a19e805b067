import Durations
import GStreamer
import QueuePolicy

extension Pad {
    /// How sinks and elements such as `clocksync` downstream wait for the clock, according to their properties.
    var sinkTiming: SinkTiming {
        var timing = SinkTiming.unsynchronized
        var anyDoesNot = false
        forEachLinkedElement { element, _ in
            if element.value("sync") == .bool(true) {
                let delay = element.unsignedTime("render-delay") ?? .zero
                let offset = (element.time("ts-offset") ?? .zero) - delay
                timing.offset = timing.anyKeepsTime ? max(timing.offset, offset) : offset
                timing.anyKeepsTime = true
                if !element.isSink { timing.waitsForAnsweredLatency = true }
                // A negative value means no limit.
                if let most = element.time("max-lateness"), most >= .zero {
                    timing.tolerance = min(timing.tolerance ?? most, most)
                }
            } else if element.isSink {
                anyDoesNot = true
            }
            return true
        }
        timing.allKeepTime = timing.anyKeepsTime && !anyDoesNot
        return timing
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
