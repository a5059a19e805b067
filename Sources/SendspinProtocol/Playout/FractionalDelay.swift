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
        let distances = SIMD8(repeating: Double(Self.before) + fraction) - Self.places
        // The numerator of a point is the product of the distances to the points before it and behind it.
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
    /// Inverse of the product of the differences between a point and the others.
    private static let scales = SIMD8<Double>(-1, 7, -21, 35, -35, 21, -7, 1) / 5040
}
