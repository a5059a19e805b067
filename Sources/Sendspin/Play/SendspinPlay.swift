import Durations
import GStreamer
import AudioSinks
import Threads
import struct Synchronization.Atomic

/// Player for Sendspin servers: `sendspinsrc`, `decodebin`, `sendspinsync` and an audio sink.
///
///     gst-launch-1.0 sendspinplay uri=sendspin://127.0.0.1:8927
///
/// The element has no pads. It opens the audio device when a stream starts, and closes it `idle-timeout` after the end
/// of the stream. Its properties `volume` and `mute` follow those of the player in the server, and vice versa.
final class SendspinPlay: Bin {

    // MARK: What gst-inspect shows

    static let factoryName = "sendspinplay"
    static let typeName = "GstSendspinPlay"
    static let metadata = ElementMetadata(
        "Sendspin player",
        classification: "Generic/Bin/Player",
        description: "Plays the audio of a Sendspin server, such as Music Assistant, in time with other players",
        author: "The gst-plugins-swift authors")
    static let interfaces: [Interface] = [.streamVolume]
    static let signals = SourceSignals.all.map { $0.forwarded { (player: SendspinPlay) in player.line?.source } }

    typealias Settings = SendspinPlaySettings

    // MARK: State

    static let log = DebugCategory(factoryName, "Player for Sendspin servers")
    let host: ElementHost
    let report = PlayReport()
    private let line: PlayLine?
    /// Whether the player has started its running time; used only outside a pipeline.
    private let hasOwnTime = Atomic(false)
    private let newest = Mutex((settings: Settings(), revision: UInt64(0)))
    private let volumes = VolumeExchange()

    init(host: ElementHost) {
        self.host = host
        line = PlayLine(host)
        report.line = line
        line?.observeVolume { [weak self] in self?.serverChangedVolume() }
    }

    func settingsChanged(_ settings: Settings, revision: UInt64) {
        let isNewest = newest.withLock { newest in
            guard revision > newest.revision else { return false }
            newest = (settings, revision)
            return true
        }
        guard isNewest, let line else { return }
        line.apply(settings)
        if volumes.isOrder(settings) { line.setVolume(PlayerVolume(settings)) }
    }

    func start(_ settings: LiveSettings<Settings>) throws(ElementError) {}

    func changeState(_ change: StateChange) -> StateChangeResult {
        guard let line else {
            host.post(
                error: .core(
                    .missingPlugin, "An element of sendspinplay is missing: decodebin, audioconvert or audioresample."))
            return .failure
        }
        if change == .readyToPaused { hasOwnTime.store(false, ordering: .relaxed) }
        // Inside a pipeline, the pipeline selects the clock.
        if change == .pausedToPlaying, !host.hasParent, !hasOwnTime.exchange(true, ordering: .relaxed) {
            host.startRunningTime()
        }
        do throws(ElementError) { return try line.carryOut(change, newest.withLock { $0.settings }) } catch {
            host.post(error: error)
            return .failure
        }
    }

    /// Posts EOS itself while the device is closed.
    ///
    /// The gate then blocks the streaming thread of the source, for which `send_event` of GstBaseSrc would wait.
    func sendEvent(_ event: consuming Event) -> Bool {
        guard event.kind == .endOfStream, line?.worker?.isAwake == false else { return host.parentSendEvent(event) }
        host.postEndOfStream()
        return true
    }

    func handleMessage(_ message: consuming Message) {
        if message.kind == .element, let structure = message.structure { line?.streamMessage(structure) }
        if line?.takeDecodingError(message) == true { return }
        let changesLatency = message.kind == .latency
        host.parentHandleMessage(message)
        // Outside a pipeline, the application may have no bus for the message, so the player handles it.
        if changesLatency, !host.hasParent { host.recalculateLatency() }
    }

    /// Copies the volume of the source, which the server may have set, to the properties.
    private func serverChangedVolume() {
        guard let volume = line?.serverVolume else { return }
        guard let element = host.retained() else { return }
        let settings = newest.withLock { $0.settings }
        let present = PlayerVolume(settings)
        let factor = volume.factor(curve: settings.volumeCurve)
        volumes.takeOver {
            if present.percent != volume.percent { element.set("volume", to: .double(factor)) }
            if present.isMuted != volume.isMuted { element.set("mute", to: .bool(volume.isMuted)) }
        }
    }
}

/// Detects volumes that the application sets; only these are sent to the server.
private final class VolumeExchange: Sendable {
    private struct State {
        /// `volumeWrites` of the newest settings that were handled.
        var writes = 0
        /// Threads that copy a volume of the server to the properties.
        var takers: Set<UInt> = []
    }

    private let state = Mutex(State())

    /// Whether the application has set `volume` or `mute` since the last call, even to the same value.
    func isOrder(_ settings: SendspinPlaySettings) -> Bool {
        state.withLock { state in
            let new = settings.volumeWrites - state.writes
            state.writes = max(state.writes, settings.volumeWrites)
            // In `takeOver`, the first write copies the server's volume, and a second one is from the application.
            return new > (state.takers.contains(Worker.currentThread) ? 1 : 0)
        }
    }

    func takeOver(_ body: () -> Void) {
        let isFirst = state.withLock { $0.takers.insert(Worker.currentThread).inserted }
        body()
        if isFirst { state.withLock { _ = $0.takers.remove(Worker.currentThread) } }
    }
}
