import CGStreamer
import Durations

extension Duration {
    /// Converts a clock time; nil for `GST_CLOCK_TIME_NONE`.
    init?(_ time: GstClockTime) {
        guard let time = valid(time) else { return nil }
        self.init(nanoseconds: time)
    }
}

extension GstClockTime {
    /// Converts a time; nil gives `GST_CLOCK_TIME_NONE`, and a negative time gives 0.
    init(_ time: Duration?) { self = time.map { GstClockTime(UInt64(nanosecondsOf: $0)) } ?? .max }
}
