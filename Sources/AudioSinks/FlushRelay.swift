public import GStreamer

/// Relays the flushes of a source to an element downstream while no decoder is linked to this element.
///
/// Without the relay, elements downstream of a decoder that is replaced during a flush receive only FLUSH_START.
public final class FlushRelay: Sendable {
    private let probe: PadProbe

    /// Relays flushes from the pad `src` of `element` to the pad `sink` of `other`; nil if a pad is missing.
    public init?(_ element: ElementReference, to other: ElementReference) {
        guard let sink = other.pad("sink") else { return nil }
        let target = PadReference(sink)
        let relay = PadProbe(
            element, pad: "src",
            events: { kind in
                if kind == .flushStop { FlushRelay.flush(target) }
                return true
            })
        guard let relay else { return nil }
        probe = relay
    }

    private static func flush(_ target: PadReference) {
        guard !target.pad.isLinked, let start = Event.flushStart(),
            let stop = Event.flushStop(after: start, resetsTime: false)
        else { return }
        target.pad.send(start)
        target.pad.send(stop)
    }
}
