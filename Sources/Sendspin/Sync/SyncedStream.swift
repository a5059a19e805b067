import AudioSinks
import Durations
import GStreamer
import SendspinProtocol

/// The stream that passes `sendspinsync`, with the clock of the sink behind it.
struct SyncedStream: ~Copyable {
    /// Larger errors at the start are corrected at once, by a new place in the sink.
    private static let largestStartError = Duration.milliseconds(1)
    /// Larger errors are corrected at once at any time; the clock of some devices is off by a step of 10 ms.
    private static let largestError = Duration.milliseconds(25)
    /// Jumps of the timestamps that are smaller are rounding.
    private static let tolerance = Duration.milliseconds(20)
    /// The same for a buffer with the flag DISCONT.
    private static let precision = Duration.milliseconds(1)
    /// Longest silence at the end of a stream.
    private static let longestSilence = Duration.seconds(10)

    /// Whether the element corrects the sink; otherwise the sink has its own `slave-method`.
    private var isEnabled = true
    /// Number of the settings of `isEnabled`.
    private var revision: UInt64 = 0
    private(set) var corrector: FrameCorrector?
    private(set) var discontinuities = 0

    private var sink = HeldSink()
    /// Nil for a format that passes unchanged.
    private var splice: BufferSplice?
    private var segment = Segment()
    private var latencies = TimestampLatency()
    private var volume = PlayerVolume()
    private var ramp: VolumeRamp?
    private var clock: ClockReference?
    private var activity = DeviceActivity()
    /// Length of the inserted frames minus that of the dropped ones: the place in the sink minus the intended time.
    private var shift = Duration.zero
    /// Whether the sink has corrected the stream, so that its place in the sink is unknown.
    private var mustBePlaced = false
    /// Whether the place of the stream in the sink has been verified since the discontinuity.
    private var isPlaced = false
    /// Timestamp, with the latency for which it is set, that continues the stream; nil after a discontinuity.
    private var expected: Duration?

    // MARK: Configuration

    mutating func configure(_ caps: Caps, _ host: ElementHost) {
        splice = BufferSplice(caps)
        guard let rate = splice?.layout.rate else {
            SendspinSync.log.info(host, "audio of this format passes unchanged: \(caps)")
            (corrector, ramp) = (nil, nil)
            return releaseSink()
        }
        if rate != corrector?.rate {
            corrector = FrameCorrector(rate: rate)
            ramp = VolumeRamp(volume: volume.percent, isMuted: volume.isMuted, rate: rate)
            restart()
        }
        _ = heldSink(host)
        sink.lengthenPeriod(host)
    }

    /// The pipeline plays: its clock and the base time are known.
    mutating func play(_ host: ElementHost) {
        clock = host.clock
        _ = heldSink(host)
        restart()
    }

    mutating func begin(_ new: Segment) {
        if new.rate != segment.rate { discontinuity() }
        segment = new
    }

    /// Notes the latency; returns whether this element allows for it, and not one further downstream.
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

    /// Enables or disables the corrections; settings with a lower number are older.
    mutating func enable(_ isEnabled: Bool, revision: UInt64) {
        guard revision > self.revision else { return }
        (self.isEnabled, self.revision) = (isEnabled, revision)
        if !isEnabled { releaseSink() }
    }

    mutating func forgetSink() { sink.forget() }

    /// Changes of sinks since the last call, to be carried out without a lock.
    mutating func takeOrders() -> [SinkOrder] { sink.takeOrders() }

    /// The sink, if the element corrects it now.
    private mutating func heldSink(_ host: ElementHost) -> AudioSink? {
        if sink.search(host) { restart() }
        // The sink plays at another speed as it does without the element.
        guard isEnabled, splice != nil, segment.rate == 1 else {
            releaseSink()
            return nil
        }
        if sink.hold(host) { resume() }
        return sink.held
    }

    /// The element corrects again, perhaps in mid-stream.
    private mutating func resume() {
        let next = expected
        restart()
        (expected, mustBePlaced) = (next, next != nil)
    }

    private mutating func releaseSink() {
        sink.release()
        shift = .zero
    }

    /// The sink starts its device again, as after a flush.
    mutating func restart() {
        activity = DeviceActivity()
        discontinuity()
    }

    /// The next buffer does not continue the one before.
    private mutating func discontinuity() {
        expected = nil
        shift = .zero
        (isPlaced, mustBePlaced) = (false, false)
        corrector?.discontinuity()
    }

    // MARK: Buffers

    /// The corrected buffer; nil if there is no memory.
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
        let frames = input.byteCount / splice.layout.frameBytes
        guard segment.rate == 1, frames > 0, let pts = input.pts else { return input }
        var output = input
        // The timestamps jump when the source learns of a new latency, and the time at which they are played does not.
        let announced = latencies.latency(of: pts, after: expected)
        let position = pts + (announced ?? .zero)
        let continues = follow(position, output.isDiscontinuity)
        let isFirst = expected == nil
        expected = position + splice.layout.duration(frames)
        guard let sink, let clock, let baseTime = host.baseTime, let running = segment.runningTime(of: pts) else {
            return output
        }
        // A new decoder marks its first buffer, although nothing is missing.
        if continues, output.isDiscontinuity { output.unset(.discontinuity) }
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

    /// Returns whether a buffer continues the stream; otherwise the stream starts anew.
    private mutating func follow(_ position: Duration, _ isMarked: Bool) -> Bool {
        if let expected, magnitude(position - expected) < (isMarked ? Self.precision : Self.tolerance) { return true }
        discontinuities += expected == nil ? 0 : 1
        discontinuity()
        return false
    }

    /// Compares the time at which the device will play the next frame with the intended time of this frame.
    ///
    /// Returns true if the sink must place the frame anew.
    private mutating func measure(
        _ sink: AudioSink, _ clock: ClockReference, _ intended: Duration, _ isFirst: Bool
    ) -> Bool {
        guard let reading = sink.read(clock), activity.isRunning(at: reading) else { return false }
        let rate = 1 + (corrector?.drift ?? 0)
        let ahead = intended + shift - reading.device
        let error = reading.pipeline + ahead * rate - intended
        // After an underrun the device has played silence. The place of the stream is computed again.
        let isFarOff = magnitude(error) > Self.largestError
        guard !isPlaced || isFarOff else {
            corrector?.measured(error)
            return false
        }
        if isFarOff { corrector?.discontinuity() }
        isPlaced = true
        // The sink has placed earlier buffers well enough for the corrector, which is inaudible.
        guard isFirst || mustBePlaced || magnitude(error) > Self.largestStartError else {
            corrector?.measured(error)
            return false
        }
        mustBePlaced = false
        shift -= error
        return true
    }

    /// Silence for the end of a stream that is placed earlier than its timestamps say; nil if none is required.
    ///
    /// The sink drains until the timestamp of the end, which would cut the end off.
    func silenceAtEnd() -> Buffer? {
        guard let splice, let expected, shift < .milliseconds(-1), shift > .zero - Self.longestSilence else {
            return nil
        }
        return splice.silence(at: expected - latencies.newest + shift, .zero - shift)
    }
}

/// Carries out corrections on buffers of one format.
struct BufferSplice {
    let layout: AudioLayout
    private let splice: FrameSplice

    /// Nil for caps that are not corrected.
    init?(_ caps: Caps) {
        guard let layout = AudioLayout(caps),
            let splice = FrameSplice(format: layout.sample, channels: layout.channels)
        else { return nil }
        (self.layout, self.splice) = (layout, splice)
    }

    /// The corrected buffer, whose timestamp is moved by `shift`; nil if there is no memory.
    ///
    /// A buffer that is not a whole number of frames, or cannot be mapped, is returned without the correction.
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

    /// Silence from `time` on; nil if there is no memory.
    func silence(at time: Duration, _ length: Duration) -> Buffer? {
        let bytes = [UInt8](repeating: layout.sample.silence, count: layout.frames(length) * layout.frameBytes)
        // The span of the bytes ends with the call.
        guard var silence = unsafe Buffer(copying: bytes.span.bytes) else { return nil }
        silence.pts = max(time, .zero)
        silence.duration = length
        return silence
    }

    /// Applies the volume.
    func scale(_ buffer: consuming Buffer, _ ramp: inout VolumeRamp) -> Buffer {
        guard !ramp.isTransparent else { return buffer }
        var output = buffer
        _ = output.withMutableBytes { ramp.apply(to: &$0, format: layout.sample, channels: layout.channels) }
        return output
    }
}

/// Whether an audio device plays, which two readings of its clock show.
struct DeviceActivity {
    /// A difference of the two clocks that is larger means that the device does not run yet.
    private static let largestDifference = Duration.seconds(10)

    private var last: AudioSink.Reading?
    private var isRunning = false

    /// Whether the device plays; the first reading after a restart cannot show it.
    mutating func isRunning(at reading: AudioSink.Reading) -> Bool {
        guard magnitude(reading.device - reading.pipeline) < Self.largestDifference else {
            self = Self()
            return false
        }
        guard let last else {
            last = reading
            return false
        }
        let passed = reading.pipeline - last.pipeline
        // The clock of some devices moves in steps of 10 ms.
        guard passed > .milliseconds(20) else { return isRunning }
        self.last = reading
        isRunning = reading.device - last.device > passed / 2
        return isRunning
    }
}
