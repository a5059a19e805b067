import AudioSinks
import Durations
import GStreamer
import Synchronization

/// The elements of `sendspinplay`.
///
/// While nothing plays, all elements behind the source are in READY, so that the audio device is closed.
final class PlayLine: Sendable {
    private static let timer = "sendspin-idle"

    private struct State {
        var decoder: ElementReference
        /// Links the output of the decoder.
        var pads: PadObserver?
        var sink: ElementReference?
        var isAsleep = false
        var idleTimeout = Duration.seconds(10)
    }

    /// The `sendspinsrc`.
    let source: ElementReference
    private let host: ElementHost
    /// Keeps the format of the sink while a stream plays.
    private let output: ElementReference
    /// From the decoder to the sink, without these.
    private let chain: [ElementReference]
    private let observers = Mutex<[PropertyObserver]>([])
    /// Held while elements behind the source change their state.
    private let state: Mutex<State>
    private let idling = Mutex<IdleTimer?>(nil)
    private let volumeHandler = Mutex<(@Sendable () -> Void)?>(nil)

    /// Called when the server has changed the volume.
    var volumeChanged: (@Sendable () -> Void)? {
        get { volumeHandler.withLock { $0 } }
        set { volumeHandler.withLock { $0 = newValue } }
    }

    /// Nil if an element is missing.
    init?(_ host: ElementHost) {
        guard let source = ElementReference(factory: SendspinSource.factoryName, name: "source"),
            let decoder = ElementReference(factory: "decodebin", name: nil),
            let before = ElementReference(factory: "audioconvert", name: "to-sync"),
            let sync = ElementReference(factory: SendspinSync.factoryName, name: "sync"),
            let after = ElementReference(factory: "audioconvert", name: "to-sink"),
            let resampler = ElementReference(factory: "audioresample", name: "resampler"),
            let output = ElementReference(factory: "capsfilter", name: "output")
        else { return nil }
        self.host = host
        self.source = source
        state = Mutex(State(decoder: decoder))
        self.output = output
        chain = [before, sync, after, resampler, output]
        host.add(source)
        host.add(decoder)
        for element in chain { host.add(element) }
        _ = source.link(to: decoder)
        for (one, next) in zip(chain, chain.dropFirst()) { _ = one.link(to: next) }
        state.withLock { $0.pads = observer(of: decoder) }
        let changed: @Sendable () -> Void = { [weak self] in self?.volumeChanged?() }
        let properties = ["volume", "mute"].map { PropertyObserver(source, $0, changed) }
        observers.withLock { $0 = properties }
    }

    private func observer(of decoder: ElementReference) -> PadObserver {
        PadObserver(decoder) { [before = chain[0]] pad in
            if let sink = before.pad("sink"), !sink.isLinked { _ = pad.link(to: sink) }
        }
    }

    /// Volume that the server has set.
    var serverVolume: PlayerVolume? {
        guard case .uint(let percent)? = source.value("volume"), case .bool(let isMuted)? = source.value("mute") else {
            return nil
        }
        return PlayerVolume(percent: Int(percent), isMuted: isMuted)
    }

    /// The property `stats` of source and synchronisation.
    var stats: (source: Structure.Value?, sync: Structure.Value?) { (source.value("stats"), chain[1].value("stats")) }

    // MARK: Settings

    /// Passes on the settings that may change at any time.
    func apply(_ settings: SendspinPlaySettings) {
        state.withLock { $0.idleTimeout = settings.idleTimeout }
        source.set("output-delay", to: .duration(settings.outputDelay))
        let volume = PlayerVolume(settings)
        if volume != serverVolume {
            SourceSignals.setPlayerVolume.perform(
                on: source, .uint(UInt32(clamping: volume.percent)), .bool(volume.isMuted))
        }
    }

    /// Creates the sink and passes on the settings, in NULL.
    func open(_ settings: SendspinPlaySettings) throws(ElementError) {
        let texts = [
            "uri": settings.uri, "listen-address": settings.listenAddress, "client-name": settings.clientName,
            "storage-folder": settings.storageFolder, "codecs": settings.codecs,
        ]
        for (name, text) in texts { if let text { source.set(name, to: .string(text)) } }
        source.set("buffer-capacity", to: .uint(settings.bufferCapacity))
        source.set("allow-unencrypted", to: .bool(settings.allowsUnencrypted))
        apply(settings)
        let description = settings.audioSink ?? "autoaudiosink"
        guard let sink = ElementReference(launchLine: description) else {
            throw .settings("\"\(description)\" is not an audio sink: check its elements and properties.")
        }
        host.add(sink)
        guard chain[chain.count - 1].link(to: sink) else {
            host.remove(sink)
            throw .settings("\"\(description)\" accepts no raw audio.")
        }
        state.withLock { $0.sink = sink }
    }

    /// Removes the sink, in NULL.
    func close() {
        guard
            let sink = state.withLock({ state in
                defer { state.sink = nil }; return state.sink
            })
        else { return }
        host.remove(sink)
    }

    // MARK: Idle

    /// Starts the timer that closes the device.
    func beginIdling() {
        let timer = IdleTimer(Self.timer) { [weak self] in self?.sleep() }
        idling.withLock { $0 = timer }
    }

    /// Ends the timer; the elements follow the bin again.
    func endIdling() {
        idling.withLock { timer in
            defer { timer = nil }; return timer
        }?.end()
        state.withLock { state in
            guard state.isAsleep else { return }
            state.isAsleep = false
            _ = source.link(to: state.decoder)
            for element in behindSource(state) { element.isStateLocked = false }
        }
    }

    /// Handles a message of the source, on its network thread or its streaming thread.
    func streamMessage(_ message: Structure) {
        switch message.name {
        case StreamMessages.start:
            idling.withLock { $0 }?.cancel()
            chooseOutputFormat()
            wake()
        case StreamMessages.end:
            let timeout = state.withLock { $0.idleTimeout }
            idling.withLock { $0 }?.start(timeout)
        case StreamMessages.format:
            let continues = message["continues"] == .bool(true)
            if continues { keepOutputFormat() }
            replaceDecoder(isDrained: continues)
        default: break
        }
    }

    private func sleep() {
        state.withLock { state in
            guard !state.isAsleep else { return }
            state.isAsleep = true
            // The events of the stream are sent again when the pads are linked again.
            source.unlink(from: state.decoder)
            for element in behindSource(state).reversed() {
                element.isStateLocked = true
                element.setState(.ready)
            }
        }
    }

    private func wake() {
        state.withLock { state in
            guard state.isAsleep else { return }
            state.isAsleep = false
            for element in behindSource(state).reversed() {
                element.isStateLocked = false
                element.syncStateWithParent()
            }
            _ = source.link(to: state.decoder)
        }
    }

    // MARK: Format

    /// Selects the sample format of the sink with the most bits, so that it suits all formats of a stream.
    private func chooseOutputFormat() {
        let formats = ["S32LE", "S24_32LE", "S24LE", "F32LE"].map { "audio/x-raw, format=\($0)" }
        let best = formats.first { format in
            guard let caps = Caps(format), let accepted = output.pad("src")?.queryPeerCaps(caps) else { return false }
            return !accepted.isEmpty
        }
        output.set("caps", toText: best ?? "ANY")
    }

    /// Converts what follows to the present format of the sink, which would otherwise open its device again.
    private func keepOutputFormat() {
        guard let caps = output.pad("src")?.currentCaps else { return }
        output.set("caps", toText: caps.description)
    }

    /// Replaces the decoder, on the streaming thread of the source; with `isDrained`, the old one pushes what it holds.
    ///
    /// A decoder that was flushed or started again holds nothing, and would post an error at EOS.
    private func replaceDecoder(isDrained: Bool) {
        guard let new = ElementReference(factory: "decodebin", name: nil) else { return }
        let old = state.withLock { $0.decoder }
        // No lock is held, because the sink may block.
        source.unlink(from: old)
        if isDrained { old.drain(into: chain[0]) }
        old.isStateLocked = true
        old.setState(.null)
        host.remove(old)
        host.add(new)
        state.withLock { state in
            state.pads = observer(of: new)
            state.decoder = new
            _ = source.link(to: new)
        }
        new.syncStateWithParent()
    }

    private func behindSource(_ state: borrowing State) -> [ElementReference] {
        [state.decoder] + chain + (state.sink.map { [$0] } ?? [])
    }
}
