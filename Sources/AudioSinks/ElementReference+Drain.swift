public import GStreamer

extension ElementReference {
    /// Makes the element push all data that it holds, before another element replaces it.
    ///
    /// The element receives EOS, and a probe at `next` drops this event downstream. An element without data, for
    /// example after a flush, would post an error at EOS, so it receives no EOS. Call this method on the streaming
    /// thread; it returns when the data is pushed.
    public func drain(into next: ElementReference) {
        var hasOutput = false
        forEachSourcePad { _ in hasOutput = true }
        // A flush removes the segment, and the next data restores it. Without a segment, the element holds no data.
        guard hasOutput, let input = pad("sink"), let output = next.pad("sink"), output.hasSegment,
            let probe = PadProbe(next, pad: "sink", events: { $0 != .endOfStream }), let end = Event.endOfStream()
        else { return }
        input.send(end)
        withExtendedLifetime(probe) {}
    }
}
