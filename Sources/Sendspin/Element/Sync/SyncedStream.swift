import AudioSinks
import Durations
import GStreamer
import SendspinPlayout

/// The stream that passes `sendspinsync`, with the clock of the sink behind it.
struct SyncedStream: ~Copyable {
    /// A difference of the two clocks that is larger means that the device does not run yet.
    private static let largestDifference = Duration.seconds(10)
    /// Larger errors at the start are corrected at once, by a new place in the sink.
    private static let largestStartError = Duration.milliseconds(1)
    /// Larger errors are corrected at once at any time; the clock of some devices is off by a step of 10 ms.
    private static let largestError = Duration.milliseconds(25)
    /// Jumps of the timestamps that are smaller are rounding.
    private static let tolerance = Duration.milliseconds(20)
    /// The same for a buffer with the flag DISCONT.
    private static let precision = Duration.milliseconds(1)

    /// Whether the element corrects the sink; otherwise the sink has its own `slave-method`.
    var isEnabled = true {
        didSet {
            isSinkUnknown = isEnabled
            if !isEnabled { releaseSink() }
        }
    }
    private(set) var corrector: FrameCorrector?
    private(set) var sink: AudioSink?
    private(set) var discontinuities = 0

    private var format: AudioLayout?
    private var splice: FrameSplice?
    private var segment = Segment()
    /// Latency for which the timestamps are set; nil if it is that of the sink.
    private var sourceLatency: Duration?
    /// The one before, until a timestamp is set for the new one.
    private var formerLatency: Duration?
    private var volume = PlayerVolume()
    private var ramp: VolumeRamp?
    private var clock: ClockReference?
    /// Length of the inserted frames minus that of the dropped ones: the place in the sink minus the intended time.
    private var shift = Duration.zero
    /// Whether the place of the stream in the sink has been verified since the discontinuity.
    private var isPlaced = false
    /// Reading that shows whether the device runs.
    private var lastReading: AudioSink.Reading?, isDeviceRunning = false
    /// Timestamp, with the latency of the source, that continues the stream; nil after a discontinuity.
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
            restart()
        }
        format = new
        self.splice = splice
        findSink(host)
        // The sink negotiates next. A server sends seconds ahead, and a microphone does not.
        sink?.lengthenPeriod(mayDoubleLatency: host.elementsUpstream().contains { $0.factory == "sendspinsrc" })
    }

    /// The pipeline plays: its clock and the base time are known.
    mutating func play(_ host: ElementHost) {
        clock = host.clock
        findSink(host)
        restart()
    }

    mutating func begin(_ segment: Segment) { self.segment = segment }

    mutating func set(_ latency: SourceLatency) {
        if sourceLatency != latency.latency { formerLatency = sourceLatency }
        sourceLatency = latency.latency
    }

    /// Latency for which a timestamp is set; nil if it is that of the sink.
    private mutating func latency(of pts: Duration) -> Duration? {
        guard let latency = sourceLatency, let former = formerLatency, let expected else { return sourceLatency }
        // A decoder sends the event before the frame that it holds back.
        let isFormer = magnitude(pts + former - expected) < min(Self.precision, magnitude(pts + latency - expected))
        if !isFormer { formerLatency = nil }
        return isFormer ? former : latency
    }

    mutating func stop() {
        releaseSink()
        sourceLatency = nil
        clock = nil
        corrector = nil
        restart()
    }

    mutating func set(_ volume: PlayerVolume) {
        self.volume = volume
        ramp?.set(volume: volume.percent, isMuted: volume.isMuted)
    }

    mutating func forgetSink() { isSinkUnknown = true }

    private mutating func findSink(_ host: ElementHost) {
        isSinkUnknown = false
        guard isEnabled else { return }
        let found = AudioSink.downstream(of: host)
        guard found?.identity != sink?.identity else { return }
        releaseSink()
        restart()
        guard let found else { return }
        slaveMethod = found.slaveMethod
        found.disableSlaving()
        sink = found
        SendspinSync.log.info(host, "\(found.name) is the sink")
    }

    private mutating func releaseSink() {
        if let sink, let slaveMethod { sink.setSlaveMethod(slaveMethod) }
        (sink, slaveMethod) = (nil, nil)
    }

    /// The sink starts its device again, as after a flush.
    mutating func restart() {
        (lastReading, isDeviceRunning) = (nil, false)
        discontinuity()
    }

    /// The next buffer does not continue the one before.
    private mutating func discontinuity() {
        expected = nil
        shift = .zero
        isPlaced = false
        corrector?.discontinuity()
    }

    // MARK: Buffers

    /// The corrected buffer; nil if there is no memory.
    mutating func process(_ input: consuming Buffer, _ host: ElementHost) -> Buffer? {
        guard let format else { return input }
        let frames = input.byteCount / format.frameBytes
        guard let output = correct(input, frames, format, host) else { return nil }
        return scaled(output, format)
    }

    private mutating func correct(
        _ input: consuming Buffer, _ frames: Int, _ format: AudioLayout, _ host: ElementHost
    ) -> Buffer? {
        // Downstream was linked again, or the element was enabled.
        if isSinkUnknown { findSink(host) }
        guard isEnabled, let sink, let clock, let baseTime = host.baseTime, let pts = input.pts, frames > 0,
            let running = segment.runningTime(of: pts)
        else { return input }
        var output = input
        let sinkLatency = sink.latency
        // The timestamps jump when the source learns of a new latency, and the time at which they are played does not.
        let latency = latency(of: pts) ?? sinkLatency
        let position = pts + (sourceLatency == nil ? .zero : latency)
        let jump = expected.map { magnitude(position - $0) }
        if let jump, jump < (output.isDiscontinuity ? Self.precision : Self.tolerance) {
            // A new decoder marks its first buffer, although nothing is missing.
            if output.isDiscontinuity { output.unset(.discontinuity) }
        } else {
            if let jump { SendspinSync.log.info(host, "a jump of \(jump) to \(pts)") }
            discontinuities += expected == nil ? 0 : 1
            discontinuity()
        }
        if measure(sink, clock, baseTime + running + latency + sink.offset) {
            SendspinSync.log.info(host, "the sink continues at a new place, \(shift) from the timestamps")
            output.set(.discontinuity)
        }
        let plan = corrector?.plan(frames) ?? .unchanged(frames)
        expected = position + format.duration(frames)
        let place = shift + latency - sinkLatency
        shift += format.duration(plan.change)
        return apply(plan, output, format, place)
    }

    /// Compares the time at which the device will play the next frame with the intended time of this frame.
    ///
    /// Returns true if the sink must place the frame anew.
    private mutating func measure(_ sink: AudioSink, _ clock: ClockReference, _ intended: Duration) -> Bool {
        guard let reading = sink.read(clock), isRunning(reading) else { return false }
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
        guard expected == nil || magnitude(error) > Self.largestStartError else {
            corrector?.measured(error)
            return false
        }
        shift -= error
        return true
    }

    /// Whether the device plays; the first reading after a restart cannot show it.
    private mutating func isRunning(_ reading: AudioSink.Reading) -> Bool {
        guard magnitude(reading.device - reading.pipeline) < Self.largestDifference else {
            (lastReading, isDeviceRunning) = (nil, false)
            return false
        }
        guard let last = lastReading else {
            lastReading = reading
            return false
        }
        let passed = reading.pipeline - last.pipeline
        // The clock of some devices moves in steps of 10 ms.
        guard passed > .milliseconds(20) else { return isDeviceRunning }
        lastReading = reading
        isDeviceRunning = reading.device - last.device > passed / 2
        return isDeviceRunning
    }

    private func apply(
        _ plan: CorrectionPlan, _ input: consuming Buffer, _ format: AudioLayout, _ shift: Duration
    ) -> Buffer? {
        let pts = input.pts.map { max($0 + shift, .zero) }
        if plan.kind == .none {
            var output = input
            if shift != .zero { output.pts = pts }
            return output
        }
        guard let splice, var output = Buffer(byteCount: plan.outputFrames * format.frameBytes) else { return nil }
        _ = input.withBytes { source in
            output.withMutableBytes { splice.apply(plan, from: source, to: &$0) }
        }
        output.pts = pts
        output.duration = format.duration(plan.outputFrames)
        output.set(input.flags)
        return output
    }

    /// Silence for the end of a stream that is placed earlier than its timestamps say; nil if none is required.
    ///
    /// The sink drains until the timestamp of the end, which would cut the end off.
    func silenceAtEnd() -> Buffer? {
        guard let format, let expected, shift < .milliseconds(-1), shift > .zero - Self.largestDifference else {
            return nil
        }
        let zeros = [UInt8](repeating: 0, count: format.frames(.zero - shift) * format.frameBytes)
        // The span of the bytes ends with the call.
        guard var silence = unsafe Buffer(copying: zeros.span.bytes) else { return nil }
        silence.pts = max(expected + shift, .zero)
        silence.duration = .zero - shift
        return silence
    }

    private mutating func scaled(_ buffer: consuming Buffer, _ format: AudioLayout) -> Buffer {
        guard var ramp, !ramp.isTransparent else { return buffer }
        var output = buffer
        _ = output.withMutableBytes { ramp.apply(to: &$0, format: format.sample, channels: format.channels) }
        self.ramp = ramp
        return output
    }
}
