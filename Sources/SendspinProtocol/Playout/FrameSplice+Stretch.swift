extension FrameSplice {
    /// Inserts or drops single frames, each in the middle of its part of `spacing` frames.
    func stretch(_ plan: CorrectionPlan, from input: RawSpan, to output: inout MutableRawSpan) {
        let direction = plan.change.signum()
        var read = 0
        var written = 0
        for index in 0..<Int(plan.change.magnitude) {
            let end = index + 1 == Int(plan.change.magnitude) ? plan.frames : (index + 1) * plan.spacing
            let part = end - read
            // Within `length` frames of the input, one more or one fewer is written.
            let length = min(Self.stretch, max(part - 2 * FractionalDelay.points, 1))
            let start = (part - length) / 2
            copy(read, start, from: input, to: &output, at: written)
            written += start
            read += start
            resample(from: input, at: read, length, direction, last: plan.frames - 1, to: &output, at: written)
            written += length + direction
            read += length
            copy(read, end - read, from: input, to: &output, at: written)
            written += end - read
            read = end
        }
    }

    /// Writes `length + direction` frames that replace `length` frames from `start`.
    private func resample(
        from input: RawSpan, at start: Int, _ length: Int, _ direction: Int, last: Int,
        to output: inout MutableRawSpan, at place: Int
    ) {
        let count = length + direction
        for index in 0..<max(count, 0) {
            // The delay is 0 at the first frame, and `direction` at the first frame behind these.
            let delay = Double(direction) * Self.smooth((Double(index) + 0.5) / Double(count))
            let position = Double(start + index) - delay
            let whole = position.rounded(.down)
            let weights = FractionalDelay(fraction: position - whole)
            for channel in 0..<channels {
                var sum = 0.0
                for point in 0..<FractionalDelay.points {
                    // The first and the last frame of a short buffer are repeated.
                    let frame = min(max(Int(whole) + point - FractionalDelay.before, 0), last)
                    let offset = frame * frameBytes + channel * format.bytes
                    sum += weights.coefficients[point] * format.load(input, at: offset)
                }
                format.store(sum, to: &output, at: (place + index) * frameBytes + channel * format.bytes)
            }
        }
    }

    /// A step from 0 to 1 whose first and second derivative are 0 at both ends.
    ///
    /// This is the polynomial of K. Perlin, Improving noise, SIGGRAPH 2002.
    static func smooth(_ t: Double) -> Double { t * t * t * (t * (t * 6 - 15) + 10) }
}
