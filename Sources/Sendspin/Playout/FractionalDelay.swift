/// Interpolation of a frame between others: 8-point Lagrange interpolation.
///
/// The coefficients are those of T. I. Laakso et al., Splitting the unit delay, IEEE Signal Processing Magazine 13
/// (1996), section 3.3. With 8 points the response is flat within 0.3 dB up to a quarter of the frame rate.
struct FractionalDelay {
    /// Number of frames of the interpolation.
    static let points = 8
    /// Number of these before the position.
    static let before = 3

    /// Coefficient of each point.
    private(set) var coefficients = SIMD8<Double>(repeating: 0)

    /// The coefficients of the position `fraction`, from 0 to 1, between the points 3 and 4.
    init(fraction: Double) {
        let position = Double(Self.before) + fraction
        for point in 0..<Self.points {
            var product = 1.0
            for other in 0..<Self.points where other != point {
                product *= (position - Double(other)) / Double(point - other)
            }
            coefficients[point] = product
        }
    }
}
