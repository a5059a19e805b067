import Durations
import GStreamer
import SendspinProtocol

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
