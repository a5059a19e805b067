import AnalogAudio
import Durations
import GStreamer
import Synchronization

/// Registers the element `tapeaudio`.
public func registerTapeAudio(in plugin: Plugin) -> Bool { register(TapeAudio.self, in: plugin) }

/// Makes sound as it comes from a VHS tape: band limits, noise, buzz, wow and flutter, clicks and drop-outs.
///
///     gst-launch-1.0 audiotestsrc ! audioconvert ! tapeaudio tape-speed=ep ! audioconvert ! autoaudiosink
///
/// The result depends on the settings, on `random-seed` and on the timestamps, so that it is the same after a seek. With
/// the seed and the tracking settings of an `ntscfilter` beside it, drop-outs are where the picture has streaks.
///
/// The delay line of wow and flutter delays the sound. The element drops the first output of a stream, subtracts the
/// delay from timestamps, and pushes the rest at the end, so sound stays with the picture. `AnalogAudio` contains the
/// signal code.
struct TapeAudio: AudioFilter, ~Copyable {

    // MARK: Metadata, pads and properties

    static let factoryName = "tapeaudio"
    static let typeName = "GstTapeAudio"
    static let metadata = ElementMetadata(
        "Tape audio effect",
        classification: "Filter/Effect/Audio",
        description: "Makes sound as from a VHS tape or an analog television set",
        author: "The gst-plugins-swift authors")
    private static let caps =
        "audio/x-raw, format = { F32LE, S16LE }, rate = [ 8000, 192000 ], channels = [ 1, 8 ], layout = interleaved"
    static let padTemplates: [PadTemplate] = [.sink(caps), .source(caps)]
    static let interfaces: [Interface] = [.preset]
    typealias Settings = TapeAudioSettings

    /// Number of reserved buffers: one that is filled, and some in queues of downstream elements.
    private static let reserveCount = 4

    // MARK: State

    private static let log = DebugCategory(factoryName, "Tape audio effect")

    let host: ElementHost
    let report = TapeAudioReport()
    private var player: TapePlayer?
    /// Memory for the output of the frames that the delay line holds.
    private var reserve: ReservedBuffers?
    private var layout = SoundLayout(rate: 48_000, channels: 2, sample: .float32)
    private var stream = StreamPosition(rate: 48_000)
    private var sound = TapeSettings()
    /// Number of frames of the output that are still before the begin of the stream.
    private var framesToSkip = 0
    /// Whether the segment is played in reverse.
    private var isReversed = false
    /// Number of frames of the input whose output has not been pushed.
    private var heldFrames = 0
    /// Timestamp of the next frame of the output; nil without timestamps.
    private var outputTime: Duration?

    // MARK: Lifecycle

    init(host: ElementHost) { self.host = host }

    mutating func configure(_ format: AudioInfo, _ settings: Settings) throws(FlowResult) {
        // The source pad still has the old caps. Downstream may have ended, which is no reason to refuse the new caps.
        try? pushRest()
        player = nil
        guard format.isInterleaved, let sample = SoundLayout.Sample(format.name) else { throw .notNegotiated }
        layout = SoundLayout(rate: format.rate, channels: format.channels, sample: sample)
        let player = TapePlayer(layout)
        reserve = ReservedBuffers(byteCount: player.delay * layout.bytesInFrame, count: Self.reserveCount)
        stream = StreamPosition(rate: layout.rate)
        let latency = time(ofFrames: player.delay)
        self.player = consume player
        Self.log.info(host, "\(format.name), \(format.rate) Hz, \(format.channels) channels, delay \(latency)")
        if report.exchange(latency: latency) != latency { host.postLatencyChanged() }
    }

    mutating func transform(_ buffer: borrowing WritableBuffer, _ settings: Settings) throws(FlowResult) {
        guard let delay = player?.delay else { throw .notNegotiated }
        let frames = buffer.byteCount / layout.bytesInFrame
        guard frames > 0 else { throw .dropped }
        guard !isReversed else { return try playAlone(buffer, frames, settings.sound) }
        // The sound of the old track is pushed, and the new one begins with settled filters.
        if settings.sound.track != sound.track { stream.forget() }
        let pts = buffer.pts
        let isDiscontinuity = buffer.flags.contains(.discontinuity)
        if let start = stream.take(pts: pts, count: frames, isDiscontinuity: isDiscontinuity) {
            try pushRest()
            player?.begin(at: start, settings.sound)
            (framesToSkip, outputTime) = (delay, pts)
        }
        sound = settings.sound
        let isPlayed: Void? = buffer.withMutableBytes { player?.play(&$0, sound) }
        guard isPlayed != nil else { throw notWritable() }
        let skipped = min(framesToSkip, frames)
        framesToSkip -= skipped
        heldFrames = min(heldFrames + frames, delay)
        guard skipped < frames else { throw .dropped }
        buffer.unset(.gap)
        buffer.keep(skipped * layout.bytesInFrame..<frames * layout.bytesInFrame)
        if let pts { outputTime = max(.zero, pts + time(ofFrames: skipped - delay)) }
        buffer.pts = outputTime
        buffer.duration = time(ofFrames: frames - skipped)
        outputTime = outputTime.map { $0 + time(ofFrames: frames - skipped) }
    }

    mutating func beforeTransform(isPassthrough: Bool) {
        guard isPassthrough, heldFrames > 0 else { return }
        try? pushRest()
        stream.forget()
    }

    mutating func sinkEvent(_ event: consuming Event) -> Event? {
        switch event.kind {
        case .endOfStream, .segment, .segmentDone, .gap, .streamStart:
            // The result of a push to a downstream that has ended does not change the event.
            try? pushRest()
            stream.forget()
            if let segment = event.segment { isReversed = segment.rate < 0 }
        case .flushStop:
            heldFrames = 0
            stream.forget()
        default: break
        }
        return event
    }

    mutating func stop() {
        player = nil
        reserve = nil
        heldFrames = 0
    }

    static func isPassthrough(_ settings: Settings) -> Bool { !settings.isEnabled }

    static func latency(_ report: TapeAudioReport) -> Duration { report.latency }

    // MARK: Details

    /// Pushes the output of the frames that the delay line holds, at the end of a stream or before a gap.
    private mutating func pushRest() throws(FlowResult) {
        guard heldFrames > 0, let delay = player?.delay else { return }
        heldFrames = 0
        let size = layout.bytesInFrame
        guard var buffer = reserve?.take() else { return }
        let isPlayed: Void? = buffer.withMutableBytes { bytes in
            for offset in 0..<bytes.byteCount { bytes.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self) }
            player?.play(&bytes, sound)
        }
        guard isPlayed != nil, framesToSkip < delay else { return }
        buffer.keep(framesToSkip * size..<delay * size)
        buffer.pts = outputTime
        buffer.duration = time(ofFrames: delay - framesToSkip)
        let result = host.pushOutput(buffer)
        if result != .ok { throw result }
    }

    /// Plays a buffer as a stream of its own: in reverse, the next buffer is before it, so it cannot bring its rest.
    private mutating func playAlone(
        _ buffer: borrowing WritableBuffer, _ frames: Int, _ sound: TapeSettings
    ) throws(FlowResult) {
        stream.forget()
        let start = stream.take(pts: buffer.pts, count: frames, isDiscontinuity: true) ?? 0
        let isPlayed: Void? = buffer.withMutableBytes { player?.playAlone(&$0, at: start, sound) }
        guard isPlayed != nil else { throw notWritable() }
        buffer.unset(.gap)
        buffer.keep(0..<frames * layout.bytesInFrame)
    }

    private func notWritable() -> FlowResult {
        host.fail(.resource(.write, "The memory of an audio buffer is not writable."))
    }

    private func time(ofFrames count: Int) -> Duration {
        .nanoseconds(Int64((Double(count) * 1e9 / Double(layout.rate)).rounded()))
    }
}

/// The latency, which queries on any thread read.
final class TapeAudioReport: Sendable {
    private let nanoseconds = Atomic<Int64>(0)

    var latency: Duration { .nanoseconds(nanoseconds.load(ordering: .relaxed)) }

    /// Stores the latency and returns the one before.
    func exchange(latency: Duration) -> Duration {
        .nanoseconds(nanoseconds.exchange(Int64(nanosecondsOf: latency), ordering: .relaxed))
    }
}

extension SoundLayout.Sample {
    fileprivate init?(_ name: String) {
        switch name {
        case "F32LE": self = .float32
        case "S16LE": self = .int16
        default: return nil
        }
    }
}
