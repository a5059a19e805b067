import GStreamer

/// The latency that the timestamps of the next buffers compensate; `sendspinsrc` pushes it as an event.
///
/// The latency of the pipeline changes with the codec. The sink applies a new latency at once, also to earlier buffers.
struct SourceLatency: Sendable, Equatable {
    private static let name = "sendspin-latency"

    let latency: Duration

    init(_ latency: Duration) { self.latency = latency }

    /// Parses an event; nil for other events.
    init?(_ event: borrowing Event) {
        guard event.kind == .customDownstream, let structure = event.structure, structure.name == Self.name,
            case .uint64(let nanoseconds)? = structure["latency"]
        else { return nil }
        latency = .nanoseconds(nanoseconds)
    }

    /// A serialized event with the latency.
    var event: Event? { .custom(Structure(Self.name, ["latency": .duration(latency)]), isUpstream: false) }
}
