import GStreamer
import StreamControl

extension BackpressureQueue {
    /// The properties.
    struct Settings: ElementSettings {
        typealias Report = QueueCore

        var limits = BackpressureLimits()
        var scope = ReleaseScope.derived
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
                "Frames that may be downstream and not released (0=learned, 4294967295=no limit)", flags: .anyTime),
            .uint64(
                "in-flight-timeout", \.limits.inFlightTimeout,
                "Time beyond the latency after which a frame not released counts no more (in ns, 0=never)",
                flags: .anyTime),
            .choice(
                "release-scope", \.scope, "What must be gone for a frame to be released", flags: .anyTime),
        ]

        private static let sizes: [Property<Self>] = [
            .uint32(
                "max-size-buffers", \.limits.maxBuffers,
                "Max. number of buffers in the queue (0=automatic if all sizes are 0)",
                flags: .anyTime),
            .uint32(
                "max-size-bytes", \.limits.maxBytes,
                "Max. amount of data in the queue (bytes, 0=automatic if all sizes are 0)",
                flags: .anyTime),
            .uint64(
                "max-size-time", \.limits.maxTime,
                "Max. amount of data in the queue (in ns, 0=automatic if all sizes are 0)",
                flags: .anyTime),
            .uint64(
                "max-latency", \.limits.maxLatency, "Drop what has waited longer in the queue (in ns, 0=disable)",
                flags: .anyTime),
            .choice("leaky", \.limits.leak, "Where the queue leaks, if at all", flags: .anyTime),
        ]

        private static let threads: [Property<Self>] = [
            .choice("thread-priority", \.priority, "Priority asked for the thread that pushes", flags: .beforeStart),
            .string(
                "cpu-affinity",
                "Processors the thread that pushes may run on, such as 0-3,6, or performance for the fastest",
                flags: .beforeStart, get: { $0.processorText },
                parse: { text throws(ElementError) in
                    guard let processors = ProcessorChoice(text ?? "") else {
                        throw .settings(
                            "\"\(text ?? "")\" names no processors.", debug: "Write 0-3,6, or performance.")
                    }
                    return {
                        $0.processorText = text
                        $0.processors = processors
                    }
                }),
            .string(
                "thread-priority-achieved", "Priority the system has granted the thread that pushes",
                reported: { $0.achievedPriority.nick }),
        ]

        private static let behaviour: [Property<Self>] = [
            .bool(
                "enabled", \.limits.isEnabled, "Limit the frames in flight; false makes a plain queue of it",
                flags: .anyTime),
            .bool("silent", \.isSilent, "Don't emit queue signals", flags: .anyTime),
            .uint32(
                "drop-log-interval", \.dropLogInterval, "Drops for each line in the log and message (0=never)",
                flags: .anyTime),
        ]

        private static let counters: [Property<Self>] = [
            .uint64("in", "Frames that came in", reported: { $0.counts.entered }),
            .uint64("out", "Frames that were pushed", reported: { $0.counts.out }),
            .uint64("dropped", "Frames that were dropped", reported: { $0.counts.dropped }),
            .uint64("expired", "Frames pushed and not released in time", reported: { $0.counts.expired }),
            .uint32("in-flight", "Frames pushed and not released yet", reported: { $0.inFlight }),
            .uint32(
                "max-in-flight-in-force", "Limit of frames in flight that is in force (0=none)",
                reported: { $0.creditLimit }),
        ]

        private static let levels: [Property<Self>] = [
            .uint32(
                "current-level-buffers", "Current number of buffers in the queue", reported: { $0.level.buffers }),
            .uint32(
                "current-level-bytes", "Current amount of data in the queue (bytes)",
                reported: { UInt32(clamping: $0.level.bytes) }),
            .uint64(
                "current-level-time", "Current amount of data in the queue (in ns)", reported: { $0.level.time }),
            .structure(
                "stats", "All counts at one moment, drops by reason, ages and release times in ns",
                reported: { $0.statistics }),
        ]
    }

    /// What must be gone for a frame to be released.
    enum ReleaseScope: Int32, PropertyChoice {
        case memory, derived

        static let typeName = "GstBackpressureQueueReleaseScope"
        var nick: String { self == .memory ? "memory" : "derived" }
        var summary: String {
            self == .memory ? "All that shares the frame's memory" : "That, and all that was made of the frame"
        }
        var scope: TokenScope { self == .memory ? .memory : .derived }
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

extension ThreadPriority: PropertyChoice {
    public static var typeName: String { "GstBackpressureQueueThreadPriority" }
    public var nick: String {
        switch self {
        case .normal: "normal"
        case .high: "high"
        case .realtime: "realtime"
        }
    }
    public var summary: String {
        switch self {
        case .normal: "As other threads"
        case .high: "Before other threads"
        case .realtime: "Before all that is not real-time"
        }
    }
}
