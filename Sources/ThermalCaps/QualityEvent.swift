import GStreamer

/// An upstream event that requests lower quality, or withdraws such a request.
struct QualityEvent: Equatable {
    /// The value of its field `duration`.
    enum Time: Equatable {
        /// The field is missing, so the request has no end.
        case unlimited
        /// The time for which quality is reduced.
        case limited(Duration)
        /// The field is not a time.
        case invalid(String)
    }

    static let names = ["quality-degrade", "quality-restore"]

    /// The name of the event's structure.
    let name: String
    /// The field `reason`.
    let reason: String?
    /// The field `duration`.
    let duration: Time

    /// Nil for other events.
    init?(_ event: borrowing Event) {
        guard event.kind == .customUpstream, let structure = event.structure, Self.names.contains(structure.name)
        else { return nil }
        name = structure.name
        reason = if case .string(let reason) = structure["reason"] { reason } else { nil }
        duration = structure["duration"].map(Self.time) ?? .unlimited
    }

    /// A clock time is a `guint64`; bindings also send integers of other types.
    private static func time(_ value: Structure.Value) -> Time {
        switch value {
        case .uint64(.max): .unlimited
        case .uint64(let time) where time > 0: .limited(.nanoseconds(time))
        case .int(let time) where time > 0: .limited(.nanoseconds(time))
        case .uint(let time) where time > 0: .limited(.nanoseconds(time))
        case .int64(let time) where time > 0: .limited(.nanoseconds(time))
        default: .invalid(value.description)
        }
    }
}
