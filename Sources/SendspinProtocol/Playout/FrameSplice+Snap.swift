extension FrameSplice {
    /// Inserts silence in the middle of the buffer, after a fade-out and before a fade-in.
    @_lifetime(output: copy output)
    func insertSilence(_ plan: CorrectionPlan, from input: RawSpan, to output: inout MutableRawSpan) {
        let middle = plan.frames / 2
        let fadeOut = min(Self.fade, middle)
        let fadeIn = min(Self.fade, plan.frames - middle)
        copy(0, middle, from: input, to: &output, at: 0)
        for index in 0..<fadeOut {
            let gain = 1 - (Double(index) + 0.5) / Double(fadeOut)
            let frame = middle - fadeOut + index
            mix(frame, gain, frame, 0, from: input, to: &output, at: frame)
        }
        for offset in (middle * frameBytes)..<((middle + plan.change) * frameBytes) {
            output.storeBytes(of: format.silence, toByteOffset: offset, as: UInt8.self)
        }
        let behind = middle + plan.change
        copy(middle, plan.frames - middle, from: input, to: &output, at: behind)
        for index in 0..<fadeIn {
            let gain = (Double(index) + 0.5) / Double(fadeIn)
            mix(middle + index, gain, middle + index, 0, from: input, to: &output, at: behind + index)
        }
    }

    /// Cuts frames in the middle, with a crossfade.
    @_lifetime(output: copy output)
    func cut(_ plan: CorrectionPlan, from input: RawSpan, to output: inout MutableRawSpan) {
        let rest = plan.outputFrames
        let dropped = -plan.change
        let fade = min(Self.fade, rest)
        let start = (rest - fade) / 2
        copy(0, start, from: input, to: &output, at: 0)
        for index in 0..<fade {
            let gain = (Double(index) + 0.5) / Double(fade)
            let frame = start + index
            mix(frame, 1 - gain, frame + dropped, gain, from: input, to: &output, at: frame)
        }
        copy(start + fade + dropped, rest - start - fade, from: input, to: &output, at: start + fade)
    }

    /// Writes the weighted sum of two frames.
    @_lifetime(output: copy output)
    private func mix(
        _ first: Int, _ firstGain: Double, _ second: Int, _ secondGain: Double, from input: RawSpan,
        to output: inout MutableRawSpan, at place: Int
    ) {
        for channel in 0..<channels {
            let offset = channel * format.bytes
            let sum =
                firstGain * format.load(input, at: first * frameBytes + offset)
                + secondGain * format.load(input, at: second * frameBytes + offset)
            format.store(sum, to: &output, at: place * frameBytes + offset)
        }
    }
}
