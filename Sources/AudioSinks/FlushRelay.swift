public import GStreamer

/// Flushes an element behind a decoder without a source pad when the source in front of the decoder is flushed.
///
/// If the decoder is replaced during a flush, the elements behind it have received only FLUSH_START.
public final class FlushRelay: Sendable {
    private let probe: PadProbe

    /// Observes the pad `src` of `element` until it is released, and flushes the pad `sink` of `other`; nil without
    /// these pads.
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
