public import GStreamer

extension ElementReference {
    /// Makes the element push its remaining data, before it is replaced.
    ///
    /// The sink pad of the element receives EOS, and a probe at `next` drops this event. An element without data, or
    /// after a flush, would post an error and receives no EOS. The streaming thread calls this method, and waits until
    /// the data is pushed.
    public func drain(into next: ElementReference) {
        var hasOutput = false
        forEachSourcePad { _ in hasOutput = true }
        // A flush removes the segment, and the next data restores it. So without a segment, a decoder has no data.
        guard hasOutput, let input = pad("sink"), let output = next.pad("sink"), output.hasSegment,
            let probe = PadProbe(next, pad: "sink", events: { $0 != .endOfStream }), let end = Event.endOfStream()
        else { return }
        input.send(end)
        withExtendedLifetime(probe) {}
    }
}
