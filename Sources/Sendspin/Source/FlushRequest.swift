import GStreamer

/// Upstream event with which `sendspinplay` requests its source to flush downstream.
struct FlushRequest: Sendable, Equatable {
    private static let name = "sendspin-flush"

    /// Whether the sinks preroll again if no stream follows.
    let prerolls: Bool

    init(prerolls: Bool) { self.prerolls = prerolls }

    /// Parses an event; nil for other events.
    init?(_ event: borrowing Event) {
        guard event.kind == .customUpstream, let structure = event.structure, structure.name == Self.name,
            case .bool(let prerolls)? = structure["prerolls"]
        else { return nil }
        self.prerolls = prerolls
    }

    var event: Event? { .custom(Structure(Self.name, ["prerolls": .bool(prerolls)]), isUpstream: true) }
}
