public import GStreamer

/// Probes on the sink pads downstream of a pad, called for the buffers that enter each element.
///
/// The probes exist as long as this object. They run for every frame, so the object should exist only briefly.
public final class EntryProbes: Sendable {
    /// Called on streaming threads for each buffer that enters an element.
    public typealias Handler = @Sendable (borrowing Buffer) -> Void

    private let probes: [PadProbe]

    /// Calls `handler` for each pad downstream, and adds a probe if it returns a closure; locks the elements briefly.
    public init(behind source: borrowing Pad, _ handler: (ElementReference, borrowing Pad) -> Handler?) {
        var probes: [UInt: PadProbe] = [:]
        source.forEachLinkedElement { element, pad in
            // A pad is visited several times if several paths lead to it.
            guard probes[pad.identity] == nil, let enters = handler(element, pad) else { return true }
            probes[pad.identity] = PadProbe(pad, buffers: enters)
            return true
        }
        self.probes = Array(probes.values)
    }
}
