import AudioSinks
import Durations
import GStreamer
import SendspinProtocol
import Threads

/// Keeps the audio sink downstream at the rate of the pipeline's clock, so that each sample is played on time.
///
///     gst-launch-1.0 sendspinsrc ! decodebin ! audioconvert ! sendspinsync ! autoaudiosink
///
/// The clock of an audio device is off by up to 100 ppm. The element measures when the device plays a sample, and
/// inserts or drops single frames inaudibly by interpolation. Meanwhile, `slave-method` of the sink is `none`, so that
/// the sink does not correct the drift itself.
///
/// Nothing is corrected if there is no audio sink downstream, the format is not supported, or the rate of the segment
/// is not 1. In supported formats, the element also applies the volume that a server sets. Of several `sendspinsync`
/// in a row, only the last one corrects, and only the first one applies the volume.
final class SendspinSync: ConcurrentElement {

    // MARK: What gst-inspect shows

    static let factoryName = "sendspinsync"
    static let typeName = "GstSendspinSync"
    static let metadata = ElementMetadata(
        "Sendspin synchronisation",
        classification: "Filter/Effect/Audio",
        description: "Keeps an audio sink at the rate of the clock by inserting and dropping single frames",
        author: "The gst-plugins-swift authors")
    private static let caps = "audio/x-raw"
    static let padTemplates: [PadTemplate] = [.sink(caps), .source(caps)]

    struct Settings: ElementSettings {
        typealias Report = SyncReport
        var isEnabled = true
        var volumeCurve = VolumeRamp.standardCurve
        static let properties: [Property<Self>] = [
            .bool("enabled", \.isEnabled, "Whether the drift of the sink is corrected", flags: .anyTime),
            .double("volume-curve", \.volumeCurve, in: volumeCurves, volumeCurveText, flags: .beforeStart),
            .structure(
                "stats", "Error of the playout, drift of the device, and counts of corrections",
                reported: { $0.stats }),
        ]
        static let volumeCurves = 1.0...4.0
        static let volumeCurveText =
            "Exponent of the volume: the gain is (percent / 100)^volume-curve (1 = linear, 3 = as in PulseAudio)"
    }

    // MARK: State

    static let log = DebugCategory(factoryName, "Synchronisation of audio sinks")
    let host: ElementHost
    let report = SyncReport()
    private let sink: Pad
    private let source: Pad
    /// Used by the streaming thread, and by threads that change the state, the properties, the volume or the sink.
    private let stream = Mutex(SyncedStream())

    init(host: ElementHost) {
        self.host = host
        // The bridge has created the always pads of `padTemplates`.
        sink = host.pad("sink")!
        source = host.pad("src")!
        sink.proxyCaps()
        source.proxyCaps()
    }

    func settingsChanged(_ settings: Settings, revision: UInt64) {
        update { $0.apply(settings, revision: revision) }
    }

    func changeState(_ change: StateChange) -> StateChangeResult {
        let result = host.parentChangeState(change)
        if change == .pausedToPlaying, result != .failure { update { $0.play(host) } }
        return result
    }

    func stop() { update { $0.stop() } }

    /// Changes the stream, then sets properties of the sink without the mutex, because `notify` handlers may run.
    private func update<Result: ~Copyable>(_ body: (inout SyncedStream) -> Result) -> Result {
        var orders: [@Sendable () -> Void] = []
        let result = stream.withLock { stream in
            defer { orders = stream.takeOrders() }
            return body(&stream)
        }
        for order in orders { order() }
        return result
    }

    // MARK: Streaming

    func chain(_ buffer: consuming Buffer, on pad: borrowing Pad) -> FlowResult {
        // A closure cannot consume a parameter, so it takes the buffer out of an optional.
        var input: Buffer? = buffer
        let corrected: Buffer? = update { stream in
            guard let input = input.take() else { return nil }
            let corrected = stream.process(input, host)
            report.publish(stream)
            return corrected
        }
        guard let corrected else {
            return host.fail(.resource(.noSpaceLeft, "There is no memory for an audio buffer."))
        }
        return source.push(corrected)
    }

    func sinkEvent(_ event: consuming Event, on pad: borrowing Pad) -> FlowResult {
        if let volume = PlayerVolume(event) {
            update { $0.set(volume) }
            // Another `sendspinsync` downstream must not apply the volume again.
            return .ok
        }
        if let latency = SourceLatency(event), stream.withLock({ $0.take(latency) }) { return .ok }
        switch event.kind {
        case .caps: if let caps = event.caps { update { $0.configure(caps, host) } }
        case .segment: if let segment = event.segment { update { $0.begin(segment) } }
        case .endOfStream: if let silence = stream.withLock({ $0.silenceAtEnd() }) { _ = source.push(silence) }
        case .flushStop: update { $0.restart() }
        default: break
        }
        return pad.handleByDefault(event) ? .ok : .error
    }

    func sourceEvent(_ event: consuming Event, on pad: borrowing Pad) -> Bool {
        // Downstream was linked again and may have another sink.
        if event.kind == .reconfigure { update { $0.forgetSink() } }
        return pad.handleByDefault(event)
    }
}

/// Statistics of `sendspinsync` for its property `stats`.
final class SyncReport: Sendable {
    private struct Figures: Sendable {
        var error: Duration?
        var drift = 0.0
        var inserted = 0
        var dropped = 0
        var snaps = 0
        var discontinuities = 0
    }

    private let figures = Mutex(Figures())

    func publish(_ stream: borrowing SyncedStream) {
        figures.withLock { figures in
            figures.error = stream.corrector?.error
            figures.drift = stream.corrector?.drift ?? 0
            figures.inserted = stream.corrector?.insertedCount ?? 0
            figures.dropped = stream.corrector?.droppedCount ?? 0
            figures.snaps = stream.corrector?.snapCount ?? 0
            figures.discontinuities = stream.discontinuities
        }
    }

    /// The property `stats`, with the error in nanoseconds.
    var stats: Structure {
        let figures = figures.withLock { $0 }
        var stats = Structure("sendspin-sync-stats")
        stats["error"] = figures.error.map { .int64(Int64(nanosecondsOf: $0)) }
        stats["drift-ppm"] = .double(figures.drift * 1e6)
        stats["inserted"] = .uint64(UInt64(figures.inserted))
        stats["dropped"] = .uint64(UInt64(figures.dropped))
        stats["snaps"] = .uint64(UInt64(figures.snaps))
        stats["discontinuities"] = .uint64(UInt64(figures.discontinuities))
        return stats
    }
}
