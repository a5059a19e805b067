import AudioSinks
import Durations
import GStreamer
import Threads
import struct Synchronization.Atomic

/// The elements of `sendspinplay`.
///
/// While the audio device is closed, the elements behind the source are in NULL. Their state is locked, so the bin does
/// not change it.
final class PlayLine: Sendable {
    struct Parts {
        var decoder: ElementReference
        /// Links the pad that the decoder adds.
        var pads: PadObserver?
        var sink: ElementReference?
        /// Description of the sink, if the player chooses it.
        var automatic: String?
    }

    /// The sink that the player uses instead of the default one while PipeWire runs.
    ///
    /// `autoaudiosink` would choose `pulsesink`, whose clock is wrong by up to a period there, 43 ms and more: the
    /// server pipewire-pulse reports the position at the start of a period, and PipeWire's plugin for ALSA the present one.
    private static let pipeWireSink = "alsasink device=pipewire"

    let host: ElementHost
    /// The `sendspinsrc`.
    let source: ElementReference
    /// Blocks the data of the source while the elements behind the source are in NULL.
    let gate: PadGate
    private let flushes: FlushRelay?
    /// The capsfilter that keeps the format of the sink.
    let output: ElementReference
    /// The elements between the decoder and the sink.
    let chain: [ElementReference]
    /// The mutex is a leaf lock: no element is changed while it is locked.
    let parts: Mutex<Parts>
    private let observers = Mutex<[PropertyObserver]>([])
    private let currentWorker = Mutex<PlayWorker?>(nil)
    /// Whether the player is in PAUSED after PLAYING.
    let wasPaused = Atomic(false)
    /// Whether the decoder has posted an error; the next stream then requires a new decoder.
    private let decoderHasFailed = Atomic(false)
    /// Limits the warnings of streams that cannot be decoded; a server can start many such streams.
    private let warnings = Mutex(PeerBudget(capacity: 10, pause: .seconds(30)))

    /// The worker of this run; nil in READY and NULL.
    var worker: PlayWorker? {
        get { currentWorker.withLock { $0 } }
        set { currentWorker.withLock { $0 = newValue } }
    }

    /// Creates the elements; nil if an element is missing.
    init?(_ host: ElementHost) {
        guard let source = ElementReference(factory: SendspinSource.factoryName, name: "source"),
            let gate = PadGate(source), let decoder = ElementReference(factory: "decodebin", name: nil),
            let before = ElementReference(factory: "audioconvert", name: "to-sync"),
            let sync = ElementReference(factory: SendspinSync.factoryName, name: "sync"),
            let after = ElementReference(factory: "audioconvert", name: "to-sink"),
            let resampler = ElementReference(factory: "audioresample", name: "resampler"),
            let output = ElementReference(factory: "capsfilter", name: "output")
        else { return nil }
        (self.host, self.source, self.gate, self.output) = (host, source, gate, output)
        parts = Mutex(Parts(decoder: decoder))
        chain = [before, sync, after, resampler, output]
        host.add(source)
        host.add(decoder)
        for element in chain { host.add(element) }
        _ = source.link(to: decoder)
        flushes = FlushRelay(source, to: before)
        for (one, next) in zip(chain, chain.dropFirst()) { _ = one.link(to: next) }
        let pads = observer(of: decoder)
        parts.withLock { $0.pads = pads }
    }

    /// Calls `changed` when the volume of the source has changed.
    func observeVolume(_ changed: @escaping @Sendable () -> Void) {
        let properties = ["volume", "mute"].map { PropertyObserver(source, $0, changed) }
        observers.withLock { $0 = properties }
    }

    /// Observes the pads of a new decoder; errors of the decoder do not stop the source.
    func observer(of decoder: ElementReference) -> PadObserver {
        decoderHasFailed.store(false, ordering: .relaxed)
        decoder.tolerateFailures { [weak self] in self?.needsDecoder ?? false }
        return PadObserver(decoder) { [before = chain[0]] pad in
            if let sink = before.pad("sink"), !sink.isLinked { _ = pad.link(to: sink) }
        }
    }

    var needsDecoder: Bool { decoderHasFailed.load(ordering: .relaxed) }

    /// Posts a warning instead of an error of the decoder, within a budget; returns false for any other message.
    func takeDecodingError(_ message: borrowing Message) -> Bool {
        guard message.isDecodingError(in: parts.withLock({ $0.decoder })) else { return false }
        let isFirst = !decoderHasFailed.exchange(true, ordering: .relaxed)
        if isFirst, warnings.withLock({ $0.take(at: MonotonicClock.now) }) {
            host.post(
                warning: .stream(
                    .decode, "The server sends audio that cannot be decoded. The player waits for the next stream."))
        }
        return true
    }

    /// The elements behind the source, from the decoder to the sink.
    var behindSource: [ElementReference] {
        let (decoder, sink) = parts.withLock { ($0.decoder, $0.sink) }
        return [decoder] + chain + (sink.map { [$0] } ?? [])
    }

    /// Volume of the source; the server may have set it.
    var serverVolume: PlayerVolume? {
        guard case .uint(let percent)? = source.value("volume"), case .bool(let isMuted)? = source.value("mute") else {
            return nil
        }
        return PlayerVolume(percent: Int(percent), isMuted: isMuted)
    }

    private var sync: ElementReference { chain[1] }
    var stats: (source: Structure.Value?, sync: Structure.Value?) { (source.value("stats"), sync.value("stats")) }

    // MARK: Settings

    /// Applies the settings that may change at any time.
    func apply(_ settings: SendspinPlaySettings) {
        worker?.change { $0.idleTimeout = settings.idleTimeout }
        source.set("output-delay", to: .duration(settings.outputDelay))
    }

    func setVolume(_ volume: PlayerVolume) {
        SourceSignals.setPlayerVolume.perform(
            on: source, .uint(UInt32(clamping: volume.percent)), .bool(volume.isMuted))
    }

    /// Sets all properties of the source and the curve of the volume, in READY.
    func configure(_ settings: SendspinPlaySettings) {
        source.set("uri", toString: settings.uri)
        source.set("listen-address", toString: settings.listenAddress)
        source.set("client-name", toString: settings.clientName)
        source.set("storage-folder", toString: settings.storageFolder)
        source.set("codecs", toString: settings.codecs)
        source.set("buffer-capacity", to: .uint(settings.bufferCapacity))
        source.set("allow-unencrypted", to: .bool(settings.allowsUnencrypted))
        source.set("unpaired-access", toText: settings.unpairedAccess.nick)
        sync.set("volume-curve", to: .double(settings.volumeCurve))
        source.set("pairing-code", toText: settings.pairingCode.nick)
        source.set("color", to: .bool(settings.receivesColours))
        source.set("visualizer", toString: settings.visualizer)
        source.set("visualizer-rate", to: .uint(settings.visualizerRate))
        source.set("visualizer-bands", to: .uint(settings.visualizerBands))
        apply(settings)
    }

    // MARK: Sink

    /// Creates the sink, in NULL.
    func open(_ settings: SendspinPlaySettings) throws(ElementError) {
        let description = settings.audioSink ?? SendspinPlaySettings.defaultSink
        guard let sink = ElementReference(launchLine: description) else {
            throw .settings("\"\(description)\" is not an audio sink: check its elements and properties.")
        }
        let isAutomatic = description == SendspinPlaySettings.defaultSink
        guard insert(sink, isAutomatic ? description : nil) else {
            throw .settings("\"\(description)\" accepts no raw audio.")
        }
        rest()
    }

    /// Adds a sink behind the other elements; false if it accepts no raw audio.
    private func insert(_ sink: ElementReference, _ automatic: String?) -> Bool {
        sink.isStateLocked = true
        // A handler of a message or signal of the bin may stop the player, which removes the sink.
        parts.withLock { ($0.sink, $0.automatic) = (sink, automatic) }
        host.add(sink)
        if output.link(to: sink) { return true }
        close()
        return false
    }

    /// Replaces the default sink by that for PipeWire if PipeWire runs, and vice versa, in NULL.
    func chooseSink() {
        guard let present = parts.withLock({ $0.automatic }) else { return }
        // Outside of the player, a sink that cannot open its device posts no error.
        let pipeWire = AudioSink.environmentNamesOutput ? nil : ElementReference(launchLine: Self.pipeWireSink)
        let isRunning = pipeWire?.setState(.ready) == .success && !AudioSink.pipeWireMayStall
        pipeWire?.setState(.null)
        let chosen = isRunning ? Self.pipeWireSink : SendspinPlaySettings.defaultSink
        guard chosen != present, let sink = isRunning ? pipeWire : ElementReference(launchLine: chosen) else { return }
        close()
        _ = insert(sink, chosen)
    }

    /// Removes the sink, in NULL.
    func close() {
        let sink = parts.withLock { parts in
            defer { parts.sink = nil }
            return parts.sink
        }
        sink?.setState(.null)
        if let sink { host.remove(sink) }
    }
}
