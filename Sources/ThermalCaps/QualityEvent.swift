import GStreamer

/// Upstream event that requests lower quality, or withdraws a request.
struct QualityEvent: Equatable {
    /// Value of the field `duration`.
    enum Time: Equatable {
        /// The field is missing, so the request has no end.
        case unlimited
        /// Time for which quality is reduced.
        case limited(Duration)
        /// The field is not a time.
        case invalid(String)
    }

    static let names = ["quality-degrade", "quality-restore"]

    /// Name of the structure of the event.
    let name: String
    let reason: String?
    let duration: Time

    /// Reads an event; nil if it is neither of the two events.
    init?(_ event: borrowing Event) {
        guard event.kind == .customUpstream, let structure = event.structure, Self.names.contains(structure.name)
        else { return nil }
        name = structure.name
        reason = if case .string(let reason) = structure["reason"] { reason } else { nil }
        duration = structure["duration"].map(Self.time) ?? .unlimited
    }

    /// Converts a clock time, which is a `guint64`; bindings also send integers of other types.
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
