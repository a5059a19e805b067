extension FrameSplice {
    /// Inserts or drops single frames, each in the middle of its `spacing` frames.
    @_lifetime(output: copy output)
    func stretch(_ plan: CorrectionPlan, from input: RawSpan, to output: inout MutableRawSpan) {
        let direction = plan.change.signum()
        var read = 0
        var written = 0
        for index in 0..<Int(plan.change.magnitude) {
            let end = index + 1 == Int(plan.change.magnitude) ? plan.frames : (index + 1) * plan.spacing
            let part = end - read
            // These `length` frames are replaced by one frame more or fewer.
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

    /// Replaces `length` frames from `start` by `length + direction` frames.
    @_lifetime(output: copy output)
    private func resample(
        from input: RawSpan, at start: Int, _ length: Int, _ direction: Int, last: Int,
        to output: inout MutableRawSpan, at place: Int
    ) {
        let count = length + direction
        for index in 0..<max(count, 0) {
            // The delay is 0 at the first frame, and `direction` at the frame after the last one.
            let delay = Double(direction) * Self.smooth((Double(index) + 0.5) / Double(count))
            let position = Double(start + index) - delay
            let whole = position.rounded(.down)
            let weights = FractionalDelay(fraction: position - whole)
            for channel in 0..<channels {
                var sum = 0.0
                for point in 0..<FractionalDelay.points {
                    // The first and the last frame of the buffer are repeated beyond its ends.
                    let frame = min(max(Int(whole) + point - FractionalDelay.before, 0), last)
                    let offset = frame * frameBytes + channel * format.bytes
                    sum += weights.coefficients[point] * format.load(input, at: offset)
                }
                format.store(sum, to: &output, at: (place + index) * frameBytes + channel * format.bytes)
            }
        }
    }

    /// A step from 0 to 1 whose first and second derivatives are 0 at both ends.
    ///
    /// Source: K. Perlin, Improving noise, SIGGRAPH 2002.
    static func smooth(_ t: Double) -> Double { t * t * t * (t * (t * 6 - 15) + 10) }
}

/// 8-point Lagrange interpolation between frames.
///
/// Source: T. I. Laakso et al., Splitting the unit delay, IEEE Signal Processing Magazine 13 (1996), section 3.3. The
/// response is flat within 0.3 dB up to a quarter of the frame rate.
struct FractionalDelay {
    static let points = 8
    /// Number of points before the position.
    static let before = 3

    private(set) var coefficients = SIMD8<Double>(repeating: 0)

    /// `fraction`, from 0 to 1, is the position between the points 3 and 4.
    init(fraction: Double) {
        let distances = SIMD8(repeating: Double(Self.before) + fraction) - Self.places
        // The numerator of a point is the product of the distances to all other points.
        var before = 1.0
        for point in 0..<Self.points {
            coefficients[point] = before
            before *= distances[point]
        }
        var behind = 1.0
        for point in (0..<Self.points).reversed() {
            coefficients[point] *= behind
            behind *= distances[point]
        }
        coefficients *= Self.scales
    }

    private static let places = SIMD8<Double>(0, 1, 2, 3, 4, 5, 6, 7)
    /// Inverse of the product of the differences between a point and all other points.
    private static let scales = SIMD8<Double>(-1, 7, -21, 35, -35, 21, -7, 1) / 5040
}
