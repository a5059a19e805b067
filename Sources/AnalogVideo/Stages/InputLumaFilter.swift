import AnalogVideoModel

/// Removes luma from the band of the colour carrier before chroma is added; see docs/NTSC.md, "Input luma filter".
struct InputLumaFilter: Sendable {
    private let kind: LumaFilter

    init?(_ settings: NTSCSettings, _ field: FieldFacts) {
        // The box filter reads the second sample of the row.
        guard settings.inputLumaFilter != .none, settings.inputLumaFilter == .notch || field.width >= 2 else {
            return nil
        }
        kind = settings.inputLumaFilter
    }

    var isNotch: Bool { kind == .notch }

    func apply(to luma: inout Plane) {
        if kind == .box { meanOfFour(&luma) } else { run(.carrierNotch(settledAt: luma.firstColumn), along: &luma) }
    }

    /// Mean of the samples x - 1 … x + 2 as a running sum; samples left of the row are `blackLevel`.
    private func meanOfFour(_ plane: inout Plane) {
        var luma = plane.columns
        let last = luma.count - 1
        var a = blackLevel
        var b = blackLevel
        var c = luma[0]
        var sum = ((a + b) + c) + luma[1]
        var d = luma[1]
        for x in luma.indices {
            // The window is a, b, c, d. It moves by one sample: `a` leaves and the sample at x + 2 enters.
            let entering = luma[min(x + 2, last)]
            sum = (sum - a) + entering
            luma[x] = sum * Lanes(0.25)
            (a, b, c, d) = (b, c, d, entering)
        }
    }
}

/// Level that box filters assume left of the row: black of 8-bit limited range, 16/255.
let blackLevel = Lanes(16.0 / 255.0)

extension RunningFilter where Self == SecondOrder {
    /// A notch at the colour carrier, a quarter of the sample rate, that starts at rest.
    static var carrierNotch: SecondOrder { SecondOrder(.notch(frequency: 0.5, quality: 2)) }

    /// A notch at the colour carrier, in the steady state for the input `first`.
    static func carrierNotch(settledAt first: Lanes) -> SecondOrder {
        SecondOrder(.notch(frequency: 0.5, quality: 2), settledAt: first)
    }
}
