import AnalogVideoModel

/// Clears the band of the colour carrier out of luma before chroma is put there.
struct InputLumaFilter: Sendable {
    private let kind: LumaFilter

    init?(_ settings: NTSCSettings, _ field: FieldFacts) {
        // The mean of four samples needs a neighbour.
        guard settings.inputLumaFilter != .none, settings.inputLumaFilter == .notch || field.width >= 2 else {
            return nil
        }
        kind = settings.inputLumaFilter
    }

    var isNotch: Bool { kind == .notch }

    func apply(to luma: inout Plane) {
        if kind == .box { meanOfFour(&luma) } else { run(.carrierNotch(settledAt: luma.firstColumn), along: &luma) }
    }

    /// The mean of the samples at x-1 … x+2 as a running sum; black level stands left of the row.
    private func meanOfFour(_ plane: inout Plane) {
        var luma = plane.columns
        let last = luma.count - 1
        var a = blackLevel
        var b = blackLevel
        var c = luma[0]
        var sum = ((a + b) + c) + luma[1]
        var d = luma[1]
        for x in luma.indices {
            // The window is a, b, c, d; `a` leaves and the sample two to the right enters.
            let entering = luma[min(x + 2, last)]
            sum = (sum - a) + entering
            luma[x] = sum * Lanes(0.25)
            (a, b, c, d) = (b, c, d, entering)
        }
    }
}

/// What stands left of a row for the filters that look there: level 16 of 255.
let blackLevel = Lanes(16.0 / 255.0)

extension RunningFilter where Self == SecondOrder {
    /// Takes out the colour carrier, a quarter of the sampling rate.
    static var carrierNotch: SecondOrder { SecondOrder(.notch(frequency: 0.5, quality: 2)) }

    /// The same, starting as if `first` had come in for ever.
    static func carrierNotch(settledAt first: Lanes) -> SecondOrder {
        SecondOrder(.notch(frequency: 0.5, quality: 2), settledAt: first)
    }
}
