import AnalogVideoModel

/// Separates the composite signal: luma is the output of a filter, chroma the remainder.
///
/// See docs/NTSC.md, "Demodulation".
struct Demodulation: Sendable {
    private let kind: ChromaDemodulation
    private let carrier: Carrier

    init(_ settings: NTSCSettings, _ field: FieldFacts, carrier: Carrier) {
        // A comb filter needs a second row.
        let isSingleRow = field.rowCount < 2
        kind =
            isSingleRow && (settings.chromaDemodulation == .oneLineComb || settings.chromaDemodulation == .twoLineComb)
            ? .notch : settings.chromaDemodulation
        self.carrier = carrier
    }

    var isNotch: Bool { kind == .notch }

    /// Neighbouring rows of composite signal that the filter reads.
    var neighbours: Neighbours {
        switch kind {
        case .box, .notch: .none
        case .oneLineComb: .above
        case .twoLineComb: .both
        }
    }

    enum Neighbours { case none, above, both }

    /// Computes luma, I and Q from composite rows and, for a comb filter, from the rows above and below each.
    ///
    /// `above` and `below` are read only if `neighbours` includes them.
    func demodulate(
        _ composite: borrowing Plane, above: borrowing Plane, below: borrowing Plane, luma planeY: inout Plane,
        _ planeI: inout Plane, _ planeQ: inout Plane, firstRow: Int
    ) {
        let composite = composite.readOnlyColumns
        let above = above.readOnlyColumns
        let below = below.readOnlyColumns
        var luma = planeY.columns
        var chromaI = planeI.columns
        var chromaQ = planeQ.columns
        let last = composite.count - 1
        var splitter = ChromaSplitter(carrier.waves(firstRow: firstRow))
        switch kind {
        case .notch:
            var notch: SecondOrder = .carrierNotch
            for x in luma.indices {
                let smooth = notch.step(composite[x])
                luma[x] = smooth
                splitter.split(smooth - composite[x], at: x, phase: x & 3, &chromaI, &chromaQ)
            }
        case .box:
            for x in luma.indices {
                let left = x > 0 ? composite[x - 1] : blackLevel
                let sum = ((left + composite[x]) + composite[min(x + 1, last)]) + composite[min(x + 2, last)]
                luma[x] = sum * Lanes(0.25)
                splitter.split(luma[x] - composite[x], at: x, phase: x & 3, &chromaI, &chromaQ)
            }
        case .oneLineComb:
            for x in luma.indices {
                luma[x] = (above[x] + composite[x]) * Lanes(0.5)
                splitter.split(luma[x] - composite[x], at: x, phase: x & 3, &chromaI, &chromaQ)
            }
        case .twoLineComb:
            for x in luma.indices {
                let upper = composite[x] * Lanes(0.5) + above[x] * Lanes(0.25)
                luma[x] = upper + below[x] * Lanes(0.25)
                splitter.split(luma[x] - composite[x], at: x, phase: x & 3, &chromaI, &chromaQ)
            }
        }
        splitter.finish(&chromaI, &chromaQ, count: luma.count)
    }
}

/// Multiplies chroma by the carrier; samples in which a carrier is 0 are interpolated from their neighbours.
struct ChromaSplitter {
    private let wavesI, wavesQ: InlineArray<4, Lanes>
    private var beforeI = Lanes(0)
    private var beforeQ = Lanes(0)
    private var currentI = Lanes(0)
    private var currentQ = Lanes(0)

    /// The carriers are inverted because the input is luma minus composite, which is inverted chroma.
    @inline(__always)
    init(_ waves: (i: InlineArray<4, Lanes>, q: InlineArray<4, Lanes>)) {
        wavesI = InlineArray { -waves.i[$0] }
        wavesQ = InlineArray { -waves.q[$0] }
    }

    /// Takes the chroma of column `x` and writes column `x - 1`; `phase` is `x` modulo 4.
    ///
    /// Column `x - 1` depends on its right neighbour, so the output is one column late.
    @inline(__always)
    mutating func split(
        _ chroma: Lanes, at x: Int, phase: Int, _ chromaI: inout MutableSpan<Lanes>,
        _ chromaQ: inout MutableSpan<Lanes>
    ) {
        let (i, q) = split(chroma, phase: phase)
        if x > 0 { (chromaI[x - 1], chromaQ[x - 1]) = (i, q) }
    }

    /// Takes the chroma of a column and returns I and Q of the column before.
    @inline(__always)
    mutating func split(_ chroma: Lanes, phase: Int) -> (i: Lanes, q: Lanes) {
        let nextI = chroma * wavesI[phase]
        let nextQ = chroma * wavesQ[phase]
        let i = currentI + Lanes(0.5) * (beforeI + nextI)
        let q = currentQ + Lanes(0.5) * (beforeQ + nextQ)
        (beforeI, currentI) = (currentI, nextI)
        (beforeQ, currentQ) = (currentQ, nextQ)
        return (i, q)
    }

    /// Writes the last column, which has no right neighbour.
    @inline(__always)
    mutating func finish(
        _ chromaI: inout MutableSpan<Lanes>, _ chromaQ: inout MutableSpan<Lanes>, count: Int
    ) {
        guard count > 0 else { return }
        chromaI[count - 1] = currentI + Lanes(0.5) * beforeI
        chromaQ[count - 1] = currentQ + Lanes(0.5) * beforeQ
    }
}
