import AnalogVideoModel

/// Weights between R'G'B' and the chroma of a television standard: I and Q, V and U, or Dr and Db.
///
/// In PAL, plane I has V, and plane Q has U: both standards modulate plane I on the cosine of the carrier, and plane Q
/// on its sine. In SECAM, plane I has Dr, and plane Q has Db. See docs/NTSC.md, "R'G'B' to YIQ",
/// docs/NTSC.md, "YIQ to R'G'B'", docs/NTSC.md, "R'G'B' and YUV" and docs/NTSC.md, "SECAM".
struct ChromaAxes: Sendable {
    /// Weights of red, of green and of blue in I and in Q.
    let red, green, blue: (inI: Float, inQ: Float)
    /// Weights of I and of Q in red, green and blue.
    private let i, q: (inRed: Float, inGreen: Float, inBlue: Float)

    init(_ standard: TelevisionStandard) {
        switch standard {
        case .ntsc:
            (red, green, blue) = ((0.5959, 0.2115), (-0.2746, -0.5227), (-0.3213, 0.3112))
            (i, q) = ((0.956, -0.272, -1.106), (0.619, -0.647, 1.703))
        case .pal:
            // V = 0.877 (R - Y), U = 0.493 (B - Y)
            (red, green, blue) = ((0.614777, -0.147407), (-0.514799, -0.289391), (-0.099978, 0.436798))
            (i, q) = ((1.140251, -0.580809, 0), (0, -0.393931, 2.028398))
        case .secam:
            // Dr = -1.902 (R - Y), Db = 1.505 (B - Y)
            (red, green, blue) = ((-1.333302, -0.449995), (1.116474, -0.883435), (0.216828, 1.333430))
            (i, q) = ((-0.525762, 0.267807, 0), (0, -0.129042, 0.664452))
        }
    }

    /// R'G'B' of Y, I and Q, not clamped.
    @inline(__always)
    func rgb(_ y: Lanes, _ planeI: Lanes, _ planeQ: Lanes) -> (Lanes, Lanes, Lanes) {
        (
            fma(planeQ, Lanes(q.inRed), fma(planeI, Lanes(i.inRed), y)),
            fma(planeQ, Lanes(q.inGreen), fma(planeI, Lanes(i.inGreen), y)),
            fma(planeQ, Lanes(q.inBlue), fma(planeI, Lanes(i.inBlue), y))
        )
    }
}
