import AudioSinks
import GStreamer

// Formats of the stream and of the sink.

extension PlayLine {
    /// Selects the sample format of the sink with the most bits, so that it suits all formats of a stream.
    func chooseOutputFormat() {
        let formats = ["S32LE", "S24_32LE", "S24LE", "F32LE"].map { "audio/x-raw, format=\($0)" }
        let best = formats.first { format in
            guard let caps = Caps(format), let accepted = output.pad("src")?.queryPeerCaps(caps) else { return false }
            return !accepted.isEmpty
        }
        output.set("caps", toText: best ?? "ANY")
    }

    /// Replaces the decoder for another format, on the streaming thread of the source; drains the old one if
    /// `continues`.
    func formatChanges(continues: Bool) {
        // If the device is closed, `rest` has already replaced the decoder.
        guard let worker, worker.change({ $0.holdAwake() }) else { return }
        defer { worker.release() }
        let decoder = parts.withLock { $0.decoder }
        if continues {
            keepOutputFormat()
            // The sink may block the drain; a flush that passes the decoder ends it. A decoder that was flushed or
            // restarted holds no data and would post an error at EOS.
            decoder.drain(into: chain[0])
        }
        replaceDecoder()?.syncStateWithParent()
    }

    /// Converts the next formats to the present format of the sink; a new format would make the sink reopen its device.
    private func keepOutputFormat() {
        guard let caps = output.pad("src")?.currentCaps else { return }
        output.set("caps", toText: caps.description)
    }

    /// Replaces the decoder by a new one in NULL.
    @discardableResult
    func replaceDecoder() -> ElementReference? {
        guard let new = ElementReference(factory: "decodebin", name: nil) else { return nil }
        let old = parts.withLock { $0.decoder }
        let isResting = old.isStateLocked
        source.unlink(from: old)
        old.isStateLocked = true
        old.setState(.null)
        host.remove(old)
        new.isStateLocked = isResting
        host.add(new)
        var pads: PadObserver? = observer(of: new)
        parts.withLock { parts in
            parts.decoder = new
            swap(&parts.pads, &pads)
        }
        _ = source.link(to: new)
        return new
    }
}
