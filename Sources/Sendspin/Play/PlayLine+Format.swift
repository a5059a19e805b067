import AudioSinks
import GStreamer

// Formats of the stream and of the sink.

extension PlayLine {
    /// Selects the sample format with the highest resolution that the sink accepts, for all formats of a stream.
    func chooseOutputFormat() {
        let formats = ["S32LE", "S24_32LE", "S24LE", "F32LE"].map { "audio/x-raw, format=\($0)" }
        let best = formats.first { format in
            guard let caps = Caps(format), let accepted = output.pad("src")?.queryPeerCaps(caps) else { return false }
            return !accepted.isEmpty
        }
        output.set("caps", toText: best ?? "ANY")
    }

    /// Replaces the decoder on the streaming thread of the source; first drains it if the stream `continues`.
    func formatChanges(continues: Bool) {
        // If the device is not open, `rest` provides a new decoder.
        guard let worker, worker.change({ $0.holdAwake() }) else { return }
        defer { worker.release() }
        let decoder = parts.withLock { $0.decoder }
        if continues {
            keepOutputFormat()
            // The sink may block the drain until a flush. The flush also passes the old decoder.
            decoder.drain(into: chain[0])
        }
        replaceDecoder()?.syncStateWithParent()
    }

    /// Keeps the current format of the sink, because another format would make the sink reopen its device.
    private func keepOutputFormat() {
        guard let caps = output.pad("src")?.currentCaps else { return }
        output.set("caps", toText: caps.description)
    }

    /// Replaces the decoder with a new one in the state NULL.
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
