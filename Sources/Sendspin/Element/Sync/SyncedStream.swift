import AudioSinks
import Durations
import GStreamer
import SendspinPlayout

/// The stream that passes `sendspinsync`, with the clock of the sink behind it.
struct SyncedStream: ~Copyable {
    /// A difference of the two clocks that is larger means that the device does not run yet.
    private static let largestDifference = Duration.seconds(10)
    /// Jumps of the timestamps that are smaller are rounding.
    private static let tolerance = Duration.milliseconds(20)

    var isEnabled = true
    private(set) var corrector: FrameCorrector?
    private(set) var sink: AudioSink?
    private(set) var discontinuities = 0

    private var format: AudioLayout?
    private var splice: FrameSplice?
    private var segment = Segment()
    private var volume = PlayerVolume()
    private var ramp: VolumeRamp?
    private var clock: ClockReference?
    private var baseTime = Duration.zero
    /// Length of the inserted frames minus that of the dropped ones: the place in the sink minus the intended time.
    private var shift = Duration.zero
    /// Timestamp that continues the stream; nil after a discontinuity.
    private var expected: Duration?
    private var slaveMethod: String?
    /// Whether the sink must be searched for.
    private var isSinkUnknown = true

    // MARK: Configuration

    mutating func configure(_ caps: Caps, _ host: ElementHost) {
        guard let new = AudioLayout(caps), let splice = FrameSplice(format: new.sample, channels: new.channels) else {
            return
        }
        if new.rate != format?.rate || corrector == nil {
            corrector = FrameCorrector(rate: new.rate)
            ramp = VolumeRamp(volume: volume.percent, isMuted: volume.isMuted, rate: new.rate)
        }
        format = new
        self.splice = splice
        discontinuity()
        findSink(host)
    }

    /// The pipeline plays: its clock and the base time are known.
    mutating func play(_ host: ElementHost) {
        clock = host.clock
        baseTime = host.baseTime ?? .zero
        findSink(host)
        discontinuity()
    }

    mutating func begin(_ segment: Segment) { self.segment = segment }

    mutating func stop() {
        releaseSink()
        clock = nil
        corrector = nil
        discontinuity()
    }

    mutating func set(_ volume: PlayerVolume) {
        self.volume = volume
        ramp?.set(volume: volume.percent, isMuted: volume.isMuted)
    }

    mutating func forgetSink() { isSinkUnknown = true }

    private mutating func findSink(_ host: ElementHost) {
        let found = AudioSink.downstream(of: host)
        if let found, found.identity == sink?.identity { return isSinkUnknown = false }
        releaseSink()
        guard let found else { return }
        slaveMethod = found.slaveMethod
        found.disableSlaving()
        sink = found
        isSinkUnknown = false
        SendspinSync.log.info(host, "\(found.name) is the sink")
    }

    private mutating func releaseSink() {
        if let sink, let slaveMethod { sink.setSlaveMethod(slaveMethod) }
        (sink, slaveMethod) = (nil, nil)
    }

    /// The next buffer does not continue the one before.
    mutating func discontinuity() {
        expected = nil
        shift = .zero
        corrector?.discontinuity()
    }

    // MARK: Buffers

    /// The corrected buffer; nil if there is no memory.
    mutating func process(_ input: consuming Buffer) -> Buffer? {
        guard let format else { return input }
        let frames = input.byteCount / format.frameBytes
        guard let output = correct(input, frames, format) else { return nil }
        return scaled(output, format)
    }

    private mutating func correct(_ input: consuming Buffer, _ frames: Int, _ format: AudioLayout) -> Buffer? {
        guard isEnabled, let sink, let clock, let pts = input.pts, frames > 0,
            let running = segment.runningTime(of: pts)
        else { return input }
        let intended = baseTime + running + sink.delay
        let isContinuous = expected.map { magnitude(pts - $0) < Self.tolerance } ?? false
        if input.isDiscontinuity || !isContinuous {
            discontinuities += expected == nil ? 0 : 1
            discontinuity()
        }
        measure(sink, clock, intended, isStart: expected == nil)
        let plan = corrector?.plan(frames) ?? .unchanged(frames)
        expected = pts + format.duration(frames)
        let shift = shift
        self.shift += format.duration(plan.change)
        return apply(plan, input, format, shift)
    }

    /// Compares the time at which the device will play the next frame with its intended time.
    private mutating func measure(_ sink: AudioSink, _ clock: ClockReference, _ intended: Duration, isStart: Bool) {
        guard let reading = sink.read(clock), magnitude(reading.device - reading.pipeline) < Self.largestDifference
        else { return }
        let rate = 1 + (corrector?.drift ?? 0)
        if isStart {
            // The sink places the first frame where it is asked to: at the place that the device plays in time.
            let ahead = intended - reading.pipeline
            shift = reading.device + ahead * (1 / rate) - intended
            return
        }
        let ahead = intended + shift - reading.device
        corrector?.measured(reading.pipeline + ahead * rate - intended)
    }

    private func apply(
        _ plan: CorrectionPlan, _ input: consuming Buffer, _ format: AudioLayout, _ shift: Duration
    ) -> Buffer? {
        let pts = input.pts
        if plan.kind == .none {
            guard shift != .zero else { return input }
            var output = input
            output.pts = pts.map { max($0 + shift, .zero) }
            return output
        }
        guard let splice, var output = Buffer(byteCount: plan.outputFrames * format.frameBytes) else { return nil }
        _ = input.withBytes { source in
            output.withMutableBytes { splice.apply(plan, from: source, to: &$0) }
        }
        output.pts = pts.map { max($0 + shift, .zero) }
        output.duration = format.duration(plan.outputFrames)
        output.set(input.flags)
        return output
    }

    private mutating func scaled(_ buffer: consuming Buffer, _ format: AudioLayout) -> Buffer {
        guard var ramp, !ramp.isTransparent else { return buffer }
        var output = buffer
        _ = output.withMutableBytes { ramp.apply(to: &$0, format: format.sample, channels: format.channels) }
        self.ramp = ramp
        return output
    }
}

private func magnitude(_ time: Duration) -> Duration { time < .zero ? .zero - time : time }
