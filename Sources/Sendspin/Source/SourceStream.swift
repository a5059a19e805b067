import AudioSinks
import Durations
import GStreamer
import SendspinProtocol
import Threads
import struct Synchronization.Atomic

/// Creates the stream of `sendspinsrc`: caps, events, and timestamps of buffers.
///
/// `next` runs on the streaming thread; the other methods run on threads that change the state or the settings.
final class SourceStream: @unchecked Sendable {  // `stop` follows the end of the streaming thread.
    /// Latency of the last `SourceLatency` event; nil if downstream has received none.
    private var announcedLatency: Duration?
    private var format: AudioFormat?
    /// Format whose caps a flush has discarded.
    private var unpushed: (format: StreamFormat, isFirst: Bool)?
    private var isPrerolled = false
    private let host: ElementHost
    private let pad: Pad
    private let report: SendspinSourceReport
    /// The property `eos-on-stream-end`; it may change while the streaming thread waits.
    private let endsWithStream = Atomic(false)

    init(_ host: ElementHost, _ pad: consuming Pad, _ report: SendspinSourceReport) {
        self.host = host
        self.pad = pad
        self.report = report
    }

    func accepted(_ codecs: [AudioCodec]) -> [AudioCodec] {
        StreamFormatCaps.accepted(codecs, by: pad.queryPeerCaps())
    }

    /// Stores the clock that the pipeline has selected.
    ///
    /// The element's clock is not read on the streaming thread, because the read allocates memory.
    func play() {
        let new = host.clock.map { SourceQueue.Timebase.clock($0) } ?? .none(start: nil)
        report.queue.change { $0.timebase = new }
    }

    func stop() { (announcedLatency, format, unpushed, isPrerolled) = (nil, nil, nil, false) }

    func settingsChanged(_ settings: SendspinSourceSettings) {
        endsWithStream.store(settings.endsWithStream, ordering: .relaxed)
    }

    /// Performs the steps before the next buffer, and returns the buffer.
    func next() throws(FlowResult) -> Buffer {
        while true {
            switch report.queue.next() {
            case .unlocked: throw .flushing
            case .format(let format, let isFirst): try negotiate(format, isFirst: isFirst)
            case .settled:
                try negotiateAgain()
                endPreroll()
            case .tags(let tags): if let event = Event.tags(tags) { pad.push(event) }
            case .streamEnded:
                unpushed = nil
                if endsWithStream.load(ordering: .relaxed) { throw .endOfStream }
                prerollAgain()
            case .flushed: prerollAgain()
            case .gap(let start, let duration): pushGap(at: start, duration)
            case .buffer(var buffer, let time, let duration, let isDiscontinuity):
                try negotiateAgain()
                guard let pts = timestamp(at: time) else {
                    report.queue.change { $0.couldNotPlay() }
                    continue
                }
                buffer.pts = pts
                buffer.duration = duration
                if isDiscontinuity { buffer.set(.discontinuity) }
                return buffer
            }
        }
    }

    /// Pushes caps, and before the first data also a gap, so that downstream negotiates and reports its latency.
    private func negotiate(_ format: StreamFormat, isFirst: Bool) throws(FlowResult) {
        let wasFirst = unpushed.take()?.isFirst ?? false
        let isFirst = isFirst || wasFirst
        if !pad.isFlushing { announce(format.format, isFirst: isFirst) }
        guard !pad.isFlushing, host.setSourceCaps(format.caps) else {
            // Downstream is being flushed. The next data requires these caps first.
            guard pad.isFlushing else { throw .notNegotiated }
            unpushed = (format, isFirst)
            throw .flushing
        }
        // Downstream may have a new decoder or was flushed, so the latency must be announced again.
        announcedLatency = nil
        guard isFirst else { return }
        host.pushSourceSegment()
        report.pushVolume()
        preroll(format.format.codec)
        report.queue.change { $0.negotiated(now: MonotonicClock.now) }
        host.postLatencyChanged()
    }

    private func negotiateAgain() throws(FlowResult) {
        if let (format, isFirst) = unpushed { try negotiate(format, isFirst: isFirst) }
    }

    /// Makes decoders and sinks negotiate before the first data, so that their latency is known.
    private func preroll(_ codec: AudioCodec) {
        let way = Preroll(codec, behind: host)
        guard way != .none, let now = host.runningTime, let gap = Event.gap(at: now, duration: .milliseconds(1)) else {
            return
        }
        if way == .headerAndGap, let empty = Buffer(byteCount: 0) { _ = pad.push(empty) }
        pad.push(gap)
        isPrerolled = true
    }

    /// Flushes the gap if there are several sinks.
    ///
    /// A sink that prerolls with the gap would block a later ALLOCATION query until the other sinks preroll, and these
    /// wait for data. The flush keeps the latency of the sinks.
    private func endPreroll() {
        let hasGap = isPrerolled
        isPrerolled = false
        guard hasGap, host.sinkCount > 1, let start = Event.flushStart(),
            let stop = Event.flushStop(after: start, resetsTime: false)
        else { return }
        pad.push(start)
        pad.push(stop)
        host.pushSourceSegment()
        report.pushVolume()
    }

    /// Posts a message about each stream or format after the first one, before downstream receives the caps.
    private func announce(_ new: AudioFormat, isFirst: Bool) {
        let known = format
        format = new
        guard let old = known, isFirst || old != new else { return }
        var message = Structure(StreamMessages.format)
        message["codec"] = .string(new.codec.rawValue)
        message["rate"] = .uint(UInt32(clamping: new.sampleRate))
        message["channels"] = .uint(UInt32(clamping: new.channels))
        message["bits"] = .uint(UInt32(clamping: new.bitDepth))
        message["changes"] = .bool(old != new)
        message["continues"] = .bool(!isFirst)
        host.post(message)
    }

    /// Pushes a gap after a flush without a stream: sinks without preroll would not reach PLAYING.
    private func prerollAgain() {
        guard report.flushes, format != nil, let now = host.runningTime,
            let gap = Event.gap(at: now, duration: .milliseconds(1))
        else { return }
        host.pushSourceSegment()
        pad.push(gap)
    }

    private func pushGap(at start: SourceQueue.Time, _ duration: Duration) {
        guard let time = timestamp(at: start), let gap = Event.gap(at: time, duration: duration) else { return }
        pad.push(gap)
    }

    /// Timestamp with which a sink renders at a server time; nil if this time is before the start of the pipeline.
    ///
    /// If the timestamp compensates another latency than the previous one, the latency is pushed for `sendspinsync`.
    private func timestamp(at place: SourceQueue.Time) -> Duration? {
        let time: Duration
        switch place.timebase {
        case .stopped: return nil
        case .none(let start): time = place.server - (start ?? place.server)
        case .clock(let clock):
            if announcedLatency != place.latency, let event = SourceLatency(place.latency).event {
                announcedLatency = place.latency
                pad.push(event)
            }
            guard let base = host.baseTime,
                let absolute = report.clock?.time(of: clock, at: place.server, place.estimate, shift: place.shift)
            else { return nil }
            time = absolute - base - place.latency - place.delay
        }
        return time < .zero ? nil : time
    }
}

/// How `sendspinsrc` makes downstream negotiate before the first data.
///
/// A parser without data reacts to a gap with caps of 1 Hz, which a decoder replaces later. An empty buffer before the
/// gap makes the parser read the header in its caps.
enum Preroll: Equatable {
    /// Downstream negotiates at the first data.
    case none
    case gap
    case headerAndGap

    init(_ codec: AudioCodec, behind host: ElementHost) {
        let elements = host.elementsDownstream()
        let parsers = elements.filter { $0.classes.contains("Parser") }
        // A muxer would keep the caps of 1 Hz. A parser inside decodebin is not linked to this element directly.
        let isMuxed =
            host.elementsLinkedDownstream().contains { $0.classes.contains("Parser") }
            && !elements.contains { $0.classes.contains("Decoder") }
        if isMuxed {
            self = .none
        } else if codec != .flac || !parsers.contains(where: Self.isExposed) {
            // A decoder that has received only a header posts an error at EOS and when it is replaced.
            self = .gap
        } else {
            // Behind a parsebin, linking fails with caps of 1 Hz. With several sinks, the flush of `endPreroll`
            // would remove the header from files.
            self = host.sinkCount <= 1 ? .headerAndGap : .none
        }
    }

    /// Whether the parser belongs to a parsebin outside a decodebin3.
    private static func isExposed(_ parser: ElementReference) -> Bool {
        guard let bin = parser.parent, bin.factory == "parsebin" else { return false }
        return bin.parent.map { ["pipeline", "bin"].contains($0.factory) } ?? true
    }
}
