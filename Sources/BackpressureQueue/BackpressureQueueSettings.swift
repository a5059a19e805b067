import Durations
import FrameTracking
import GStreamer
import QueuePolicy

extension BackpressureQueue {
    /// Values of the writable properties.
    struct Settings: ElementSettings {
        typealias Report = QueueCore
        static let defaultFlags = PropertyFlags.anyTime

        var limits = BackpressureLimits()
        var scope = TokenScope.derived
        var isSilent = false
        var dropLogInterval: UInt32 = 30
        var priority = ThreadPriority.normal
        var processorText: String?
        var processors = ProcessorChoice.any

        static let properties: [Property<Self>] =
            inFlight + sizes + threads + behaviour + counters + levels

        private static let inFlight: [Property<Self>] = [
            .uint32(
                "max-in-flight", \.limits.maxInFlight,
                "Max. number of frames in flight: pushed and not released (0=learned from the stream, 4294967295=no limit)"
            ),
            .duration(
                "in-flight-timeout", \.limits.inFlightTimeout,
                "Time in addition to the latency after which a frame in flight no longer counts (in ns, 0=never)"),
            .choice("release-scope", \.scope, "Buffers that must be freed before a frame counts as released"),
        ]

        private static let sizes: [Property<Self>] = [
            .uint32(
                "max-size-buffers", \.limits.maxBuffers,
                "Max. number of buffers in the queue (0=disable; all sizes 0=automatic)"),
            .uint32(
                "max-size-bytes", \.limits.maxBytes,
                "Max. amount of data in the queue (bytes, 0=disable; all sizes 0=automatic)"),
            .duration(
                "max-size-time", \.limits.maxTime,
                "Max. amount of data in the queue (in ns, 0=disable; all sizes 0=automatic)"),
            .duration(
                "max-latency", \.limits.maxLatency,
                "Drop frames that have waited longer in the queue (in ns, 0=disable)"),
            .choice("leaky", \.limits.leak, "Which frames are dropped when the queue is full, if any"),
        ]

        private static let threads: [Property<Self>] = [
            .choice(
                "thread-priority", \.priority, "Priority requested for the streaming thread of the source pad",
                flags: .beforeStart),
            .string(
                "cpu-affinity",
                "Processors for the streaming thread of the source pad: a list such as 0-3,6, or performance for the fastest",
                flags: .beforeStart, get: { $0.processorText },
                parse: { text throws(ElementError) in
                    guard let processors = ProcessorChoice(text ?? "") else {
                        throw .settings(
                            "cpu-affinity=\"\(text ?? "")\" is not a list of processors.",
                            debug: "Use a list such as 0-3,6, or performance for the fastest processors.")
                    }
                    return {
                        $0.processorText = text
                        $0.processors = processors
                    }
                }),
            .string(
                "thread-priority-achieved",
                "Priority that the system granted to the streaming thread of the source pad",
                reported: { $0.achievedPriority.nick }),
        ]

        private static let behaviour: [Property<Self>] = [
            .bool("enabled", \.limits.isEnabled, "Limit the frames in flight (false=only the sizes and leaky apply)"),
            .bool("silent", \.isSilent, "Don't emit queue signals"),
            .uint32(
                "drop-log-interval", \.dropLogInterval,
                "Number of dropped frames per log line and element message (0=disable)"),
        ]

        private static let counters: [Property<Self>] = [
            .uint64("in", "Frames received", reported: { $0.counts.entered }),
            .uint64("out", "Frames pushed", reported: { $0.counts.out }),
            .uint64("dropped", "Frames dropped, for any reason", reported: { $0.counts.dropped }),
            .uint64(
                "expired", "Frames pushed that were not released within in-flight-timeout plus the latency",
                reported: { $0.counts.expired }),
            .uint32("in-flight", "Frames pushed and not released yet", reported: { $0.inFlight }),
            .uint32(
                "max-in-flight-in-force",
                "Current limit of frames in flight (0=no limit, or pushing is paused to measure downstream)",
                reported: { $0.creditLimit }),
        ]

        private static let levels: [Property<Self>] = [
            .uint32(
                "current-level-buffers", "Current number of buffers in the queue", reported: { $0.level.buffers }),
            .uint32(
                "current-level-bytes", "Current amount of data in the queue (bytes)",
                reported: { UInt32(clamping: $0.level.bytes) }),
            .uint64(
                "current-level-time", "Current amount of data in the queue (in ns)",
                reported: { UInt64(nanosecondsOf: $0.level.time) }),
            .structure(
                "stats", "All counters, read at one moment: drops by reason, state of the stream, release times in ns",
                reported: { $0.statistics }),
        ]
    }
}

extension TokenScope: PropertyChoice {
    public static var typeName: String { "GstBackpressureQueueReleaseScope" }
    public var nick: String { self == .memory ? "memory" : "derived" }
    public var summary: String {
        self == .memory
            ? "Buffers that share the memory of the frame" : "Those buffers, and all buffers made from the frame"
    }
}

extension Leak: PropertyChoice {
    public static var typeName: String { "GstBackpressureQueueLeaky" }
    public var nick: String {
        switch self {
        case .none: "no"
        case .upstream: "upstream"
        case .downstream: "downstream"
        case .automatic: "auto"
        }
    }
    public var summary: String {
        switch self {
        case .none: "Not Leaky"
        case .upstream: "Leaky on upstream (new buffers)"
        case .downstream: "Leaky on downstream (old buffers)"
        case .automatic: "Downstream for a live source, not leaky for any other"
        }
    }
}

/// Scheduling priority of a thread.
enum ThreadPriority: Int32, PropertyChoice {
    case normal
    /// Nice value `highNiceness`.
    case high
    /// Scheduling policy `SCHED_RR`.
    case realtime

    static let typeName = "GstBackpressureQueueThreadPriority"
    var nick: String { ["normal", "high", "realtime"][Int(rawValue)] }
    var summary: String {
        switch self {
        case .normal: "Default priority"
        case .high: "Nice value -10"
        case .realtime: "Scheduling policy SCHED_RR, priority 49"
        }
    }
}
