import AudioSinks
import Durations
import GStreamer
import SendspinProtocol

/// The stream through `sendspinsync`, and the clock of the sink downstream.
struct SyncedStream: ~Copyable {
    /// Error above which a new stream is moved to another place in the sink.
    private static let largestStartError = Duration.milliseconds(1)
    /// Error above which any stream is moved; it exceeds the steps of 10 ms that the clocks of some devices have.
    private static let largestError = Duration.milliseconds(25)
    /// Timestamp jump below which the stream continues; smaller jumps are rounding errors.
    private static let tolerance = Duration.milliseconds(20)
    /// Like `tolerance`, but for a buffer with the flag DISCONT.
    private static let precision = Duration.milliseconds(1)
    private static let longestSilence = Duration.seconds(10)

    /// Whether the element corrects the stream; if not, the sink uses its own `slave-method`.
    private var isEnabled = true
    private var revision: UInt64 = 0
    private(set) var corrector: FrameCorrector?
    private(set) var discontinuities = 0

    private var sink = HeldSink()
    /// Corrects buffers of the current format; nil for a format that passes unchanged.
    private var splice: BufferSplice?
    private var segment = Segment()
    private var latencies = TimestampLatency()
    private var volume = PlayerVolume()
    /// Exponent of the gain of the volume; a change applies to the next format.
    private var volumeCurve = VolumeRamp.standardCurve
    private var ramp: VolumeRamp?
    private var clock: ClockReference?
    private var activity = DeviceActivity()
    /// Duration of the inserted minus the dropped frames: position in the sink minus intended time.
    private var shift = Duration.zero
    /// Whether the sink has corrected the stream, so that the position in the sink is unknown.
    private var mustBePlaced = false
    /// Whether the position in the sink was compared with the intended time since the last discontinuity.
    private var isPlaced = false
    /// Running position, a timestamp plus its latency, at which the stream continues; nil after a discontinuity.
    private var expected: Duration?
    /// Format of the sink before the format of the stream changed; nil if it has not changed since the last buffer.
    private var formerSinkFormat: Caps??

    // MARK: Configuration

    mutating func configure(_ caps: Caps, _ host: ElementHost) {
        let old = splice?.layout
        splice = BufferSplice(caps)
        guard let rate = splice?.layout.rate else {
            SendspinSync.log.info(host, "audio of this format passes unchanged: \(caps)")
            (corrector, ramp) = (nil, nil)
            return releaseSink()
        }
        if rate != corrector?.rate {
            corrector = FrameCorrector(rate: rate)
            ramp = VolumeRamp(volume: volume.percent, isMuted: volume.isMuted, rate: rate, curve: volumeCurve)
        }
        _ = heldSink(host)
        // A sink opens its device again for another format, but behind a conversion it may keep its own.
        if splice?.layout != old { formerSinkFormat = .some(sink.held?.format) }
        sink.lengthenPeriod(host)
    }

    /// Handles the state change to PLAYING, after which the clock and the base time of the pipeline are known.
    mutating func play(_ host: ElementHost) {
        clock = host.clock
        _ = heldSink(host)
        restart()
    }

    mutating func begin(_ new: Segment) {
        if new.rate != segment.rate { discontinuity() }
        segment = new
    }

    /// Notes a latency; false if a `sendspinsync` downstream compensates it instead of this element.
    mutating func take(_ latency: SourceLatency) -> Bool {
        latencies.announced(latency.latency)
        return sink.held != nil
    }

    mutating func stop() {
        sink.drop()
        latencies = TimestampLatency()
        clock = nil
        corrector = nil
        restart()
    }

    mutating func set(_ volume: PlayerVolume) {
        self.volume = volume
        ramp?.set(volume: volume.percent, isMuted: volume.isMuted)
    }

    /// Applies settings; older revisions are ignored.
    mutating func apply(_ settings: SendspinSync.Settings, revision: UInt64) {
        guard revision > self.revision else { return }
        (isEnabled, volumeCurve, self.revision) = (settings.isEnabled, settings.volumeCurve, revision)
        if !isEnabled { releaseSink() }
    }

    mutating func forgetSink() { sink.forget() }

    mutating func takeOrders() -> [@Sendable () -> Void] { sink.takeOrders() }

    /// The sink; nil while the element does not correct it.
    private mutating func heldSink(_ host: ElementHost) -> AudioSink? {
        if sink.search(host) { restart() }
        // At another rate, the sink plays as it does without the element.
        guard isEnabled, splice != nil, segment.rate == 1 else {
            releaseSink()
            return nil
        }
        if sink.hold(host) { resume() }
        return sink.held
    }

    /// Starts to correct again, perhaps while the stream is playing.
    private mutating func resume() {
        let next = expected
        restart()
        (expected, mustBePlaced) = (next, next != nil)
    }

    private mutating func releaseSink() {
        sink.release()
        shift = .zero
    }

    /// Handles a restart of the device, as after a flush.
    mutating func restart() {
        activity = DeviceActivity()
        discontinuity()
    }

    private mutating func discontinuity() {
        expected = nil
        shift = .zero
        (isPlaced, mustBePlaced) = (false, false)
        corrector?.discontinuity()
    }

    // MARK: Buffers

    /// Corrects a buffer; nil if there is no memory.
    mutating func process(_ input: consuming Buffer, _ host: ElementHost) -> Buffer? {
        guard let splice else { return input }
        guard let output = correct(input, splice, host) else { return nil }
        guard var ramp else { return output }
        let scaled = splice.scale(output, &ramp)
        self.ramp = ramp
        return scaled
    }

    private mutating func correct(
        _ input: consuming Buffer, _ splice: BufferSplice, _ host: ElementHost
    ) -> Buffer? {
        let sink = heldSink(host)
        if let former = formerSinkFormat {
            if former == nil || sink?.format != former { restart() }
            formerSinkFormat = nil
        }
        let frames = input.byteCount / splice.layout.frameBytes
        guard segment.rate == 1, frames > 0, let pts = input.pts else { return input }
        var output = input
        // With a new latency of the source, the timestamps jump, but the times of playback do not.
        let announced = latencies.latency(of: pts, after: expected)
        let position = pts + (announced ?? .zero)
        let continues = follow(position, output.isDiscontinuity)
        let isFirst = expected == nil
        expected = position + splice.layout.duration(frames)
        guard let sink, let clock, let baseTime = host.baseTime, let running = segment.runningTime(of: pts) else {
            return output
        }
        // A new decoder sets DISCONT on its first buffer, although no data is missing.
        if continues, output.isDiscontinuity { output.unset(.discontinuity) }
        corrector?.isSmoothed = sink.hasSmoothedClock
        let sinkLatency = sink.latency
        let latency = announced ?? sinkLatency
        if measure(sink, clock, baseTime + running + latency + sink.offset, isFirst) {
            SendspinSync.log.info(host, "the sink continues at a new place, \(shift) from the timestamps")
            output.set(.discontinuity)
        }
        let plan = corrector?.plan(frames) ?? .unchanged(frames)
        let place = shift + latency - sinkLatency
        shift += splice.layout.duration(plan.change)
        return splice.apply(plan, output, place)
    }

    /// Whether a buffer continues the stream; if not, the stream starts anew.
    private mutating func follow(_ position: Duration, _ isMarked: Bool) -> Bool {
        if let expected, magnitude(position - expected) < (isMarked ? Self.precision : Self.tolerance) { return true }
        discontinuities += expected == nil ? 0 : 1
        discontinuity()
        return false
    }

    /// Measures the playout error of the next frame; returns whether the frame must be moved to another place.
    private mutating func measure(
        _ sink: AudioSink, _ clock: ClockReference, _ intended: Duration, _ isFirst: Bool
    ) -> Bool {
        guard let reading = sink.read(clock), activity.isRunning(at: reading) else { return false }
        let rate = 1 + (corrector?.drift ?? 0)
        let ahead = intended + shift - reading.device
        let error = reading.pipeline + ahead * rate - intended
        // After an underrun, the device has played silence, and the position must be computed again.
        let isFarOff = magnitude(error) > Self.largestError
        guard !isPlaced || isFarOff else {
            corrector?.measured(error)
            return false
        }
        if isFarOff { corrector?.discontinuity() }
        isPlaced = true
        // The corrector removes small errors of the position inaudibly.
        guard isFirst || mustBePlaced || magnitude(error) > Self.largestStartError else {
            corrector?.measured(error)
            return false
        }
        mustBePlaced = false
        shift -= error
        return true
    }

    /// Silence after the end of a stream that is placed earlier than its timestamps; nil if none is required.
    ///
    /// The sink drains until the shifted end timestamp. Without the silence, the end would be cut off.
    func silenceAtEnd() -> Buffer? {
        guard let splice, let expected, shift < .milliseconds(-1), shift > .zero - Self.longestSilence else {
            return nil
        }
        return splice.silence(at: expected - latencies.newest + shift, .zero - shift)
    }
}

/// Applies corrections to buffers of one format.
struct BufferSplice {
    let layout: AudioLayout
    private let splice: FrameSplice

    init?(_ caps: Caps) {
        guard let layout = AudioLayout(caps),
            let splice = FrameSplice(format: layout.sample, channels: layout.channels)
        else { return nil }
        (self.layout, self.splice) = (layout, splice)
    }

    /// Returns the corrected buffer, with its timestamp moved by `shift`; nil if there is no memory.
    ///
    /// A buffer with a partial frame, or one that cannot be mapped, is not corrected.
    func apply(_ plan: CorrectionPlan, _ input: consuming Buffer, _ shift: Duration) -> Buffer? {
        let pts = input.pts.map { max($0 + shift, .zero) }
        if plan.kind == .none {
            var output = input
            if shift != .zero { output.pts = pts }
            return output
        }
        guard var output = Buffer(byteCount: plan.outputFrames * layout.frameBytes) else { return nil }
        let isCorrected = input.withBytes { source in
            output.withMutableBytes { splice.apply(plan, from: source, to: &$0) } ?? false
        }
        guard isCorrected == true else {
            output = input
            output.pts = pts
            return output
        }
        output.pts = pts
        output.duration = layout.duration(plan.outputFrames)
        output.set(input.flags)
        return output
    }

    /// Returns silence from `time` on; nil if there is no memory.
    func silence(at time: Duration, _ length: Duration) -> Buffer? {
        let bytes = [UInt8](repeating: layout.sample.silence, count: layout.frames(length) * layout.frameBytes)
        guard var silence = Buffer(copying: bytes.span) else { return nil }
        silence.pts = max(time, .zero)
        silence.duration = length
        return silence
    }

    func scale(_ buffer: consuming Buffer, _ ramp: inout VolumeRamp) -> Buffer {
        guard !ramp.isTransparent else { return buffer }
        var output = buffer
        _ = output.withMutableBytes { ramp.apply(to: &$0, format: layout.sample, channels: layout.channels) }
        return output
    }
}

/// Detects whether an audio device runs, from two readings of its clock.
struct DeviceActivity {
    /// Difference of the two clocks above which a clock without a calibration is not that of the pipeline.
    ///
    /// A calibrated clock may be later by any time for which the device, the process or the machine was stopped.
    private static let largestDifference = Duration.seconds(10)

    private var last: AudioSink.Reading?
    private var isRunning = false

    /// Whether the device runs; false at the first reading after a restart.
    mutating func isRunning(at reading: AudioSink.Reading) -> Bool {
        guard reading.isCalibrated || magnitude(reading.device - reading.pipeline) < Self.largestDifference else {
            self = Self()
            return false
        }
        guard let last else {
            last = reading
            return false
        }
        let passed = reading.pipeline - last.pipeline
        // The clocks of some devices have steps of 10 ms.
        guard passed > .milliseconds(20) else { return isRunning }
        self.last = reading
        isRunning = reading.device - last.device > passed / 2
        return isRunning
    }
}
