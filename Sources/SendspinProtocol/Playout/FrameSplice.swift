/// Applies corrections: copies a buffer of interleaved samples with more or fewer frames.
///
/// A single frame is not inserted or dropped at one point, because that would be a phase step. Instead, interpolation
/// changes the delay smoothly by one frame within `stretch` frames. A snap inserts silence or cuts frames, with short
/// fades. No function allocates memory.
public struct FrameSplice: Sendable {
    /// Number of frames in which the delay changes by one frame; fewer in short buffers.
    static let stretch = 512
    static let fade = 128

    let format: SampleFormat
    let channels: Int
    let frameBytes: Int

    /// Nil if the number of channels is less than 1 or greater than 1024.
    public init?(format: SampleFormat, channels: Int) {
        guard (1...1024).contains(channels) else { return nil }
        self.format = format
        self.channels = channels
        frameBytes = format.bytes * channels
    }

    /// Copies `input` to `output` with the corrections of `plan`; returns false and changes nothing if the length of
    /// `input` or `output` does not match `plan`.
    @_lifetime(output: copy output)
    public func apply(_ plan: CorrectionPlan, from input: RawSpan, to output: inout MutableRawSpan) -> Bool {
        guard plan.frames >= 0, plan.outputFrames >= 0, plan.outputFrames < Int.max / 2 / frameBytes,
            input.byteCount == plan.frames * frameBytes, output.byteCount == plan.outputFrames * frameBytes,
            plan.kind != .single || (plan.spacing > 0 && plan.change.magnitude <= plan.frames / plan.spacing)
        else { return false }
        switch plan.kind {
        case .none: copy(0, plan.outputFrames, from: input, to: &output, at: 0)
        case .single: stretch(plan, from: input, to: &output)
        case .snap where plan.change > 0: insertSilence(plan, from: input, to: &output)
        case .snap: cut(plan, from: input, to: &output)
        }
        return true
    }

    @_lifetime(output: copy output)
    func copy(_ start: Int, _ count: Int, from input: RawSpan, to output: inout MutableRawSpan, at place: Int) {
        guard count > 0 else { return }
        let from = start * frameBytes
        let length = count * frameBytes
        // The standard library has no copy between raw spans. Both ranges are checked here.
        precondition(from >= 0 && from + length <= input.byteCount, "frames of the input are missing")
        precondition(place >= 0 && place * frameBytes + length <= output.byteCount, "no room for the frames")
        unsafe input.withUnsafeBytes { source in
            unsafe output.withUnsafeMutableBytes { target in
                let part = unsafe UnsafeRawBufferPointer(rebasing: source[from..<(from + length)])
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[(place * frameBytes)...]).copyMemory(from: part)
            }
        }
    }
}
