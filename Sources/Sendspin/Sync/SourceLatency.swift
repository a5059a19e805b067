import GStreamer

/// The latency for which `sendspinsrc` has set the timestamps of the buffers that follow, which it sends as an event.
///
/// The latency of the pipeline changes with the codec, and the sink applies the new one at once, also to buffers that
/// are on their way.
struct SourceLatency: Sendable, Equatable {
    private static let name = "sendspin-latency"

    let latency: Duration

    init(_ latency: Duration) { self.latency = latency }

    /// The latency in an event; nil for other events.
    init?(_ event: borrowing Event) {
        guard event.kind == .customDownstream, let structure = event.structure, structure.name == Self.name,
            case .uint64(let nanoseconds)? = structure["latency"]
        else { return nil }
        latency = .nanoseconds(nanoseconds)
    }

    /// The event, which stays in the order of the buffers.
    var event: Event? { .custom(Structure(Self.name, ["latency": .duration(latency)]), isUpstream: false) }
}
