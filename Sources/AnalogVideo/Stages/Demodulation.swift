import AnalogVideoModel

/// Separates the composite signal: luma is the output of a filter, and chroma is the remainder.
///
/// See docs/NTSC.md, "Demodulation".
struct Demodulation: Sendable {
    private var kind: ChromaDemodulation
    var carrier: Carrier

    init(_ settings: NTSCSettings, _ field: FieldFacts, carrier: Carrier) {
        // Each row needs another one at the distance of the comb filter, above or below. The carriers of SECAM differ.
        let hasNoComb = field.standard == .secam || field.rowCount < 2 * field.standard.combDistance
        kind =
            hasNoComb && (settings.chromaDemodulation == .oneLineComb || settings.chromaDemodulation == .twoLineComb)
            ? .notch : settings.chromaDemodulation
        self.carrier = carrier
    }

    var isNotch: Bool { kind == .notch }

    /// The demodulation of rows that have no fixed phase, for which a comb filter acts as notch.
    var withoutComb: Demodulation {
        var other = self
        if neighbours != .none { other.kind = .notch }
        return other
    }

    /// Neighbouring rows of composite signal that the filter reads.
    var neighbours: Neighbours {
        switch kind {
        case .box, .notch, .none: .none
        case .oneLineComb: .above
        case .twoLineComb: .both
        }
    }

    enum Neighbours { case none, above, both }

    /// Computes luma from composite rows.
    func separateLuma(_ rows: CompositeRows, into luma: inout Plane) {
        switch kind {
        case .notch: separateLuma(rows, NotchSeparator(), &luma)
        case .box: separateLuma(rows, BoxSeparator(), &luma)
        case .oneLineComb: separateLuma(rows, OneLineSeparator(), &luma)
        case .twoLineComb: separateLuma(rows, TwoLineSeparator(), &luma)
        case .none: separateLuma(rows, NoSeparator(), &luma)
        }
    }

    @inline(__always)
    private func separateLuma(_ rows: CompositeRows, _ separator: some LumaSeparator, _ planeY: inout Plane) {
        var separator = separator
        var luma = planeY.columns
        guard luma.count == rows.count else { return }
        for x in luma.indices { luma[x] = separator.luma(rows, x) }
    }

    /// Computes luma from composite rows by a comb filter, and applies the filters of luma smear and ringing.
    func combLuma(_ rows: CompositeRows, smear: Filter, ringing: Filter, into luma: inout Plane) {
        switch kind {
        case .oneLineComb: combLuma(rows, OneLineSeparator(), smear, ringing, &luma)
        case .twoLineComb: combLuma(rows, TwoLineSeparator(), smear, ringing, &luma)
        case .notch, .box, .none: break
        }
    }

    @inline(__always)
    private func combLuma(
        _ rows: CompositeRows, _ separator: some LumaSeparator, _ smear: Filter, _ ringing: Filter,
        _ plane: inout Plane
    ) {
        let count = plane.readOnlyColumns.count
        guard count > 0, rows.count == count else { return }
        let luma = unsafe plane.start
        var separator = separator
        var smear = FirstOrder(smear)
        var last = smear.step(separator.luma(rows, 0))
        var ringing = SecondOrder(ringing, settledAt: last)
        // The output of the ringing filter is one column late.
        _ = ringing.step(last)
        for x in 1..<count {
            last = smear.step(separator.luma(rows, x))
            unsafe luma[x &- 1] = ringing.step(last)
        }
        unsafe luma[count &- 1] = ringing.step(last)
    }

    /// Computes I and Q from composite rows that begin at `firstRow`, which may differ from the rows of luma.
    func separateChroma(
        _ rows: CompositeRows, into chromaI: inout Plane, _ chromaQ: inout Plane, firstRow: Int
    ) {
        switch kind {
        case .notch: separateChroma(rows, NotchSeparator(), &chromaI, &chromaQ, firstRow)
        case .box: separateChroma(rows, BoxSeparator(), &chromaI, &chromaQ, firstRow)
        case .oneLineComb: separateChroma(rows, OneLineSeparator(), &chromaI, &chromaQ, firstRow)
        case .twoLineComb: separateChroma(rows, TwoLineSeparator(), &chromaI, &chromaQ, firstRow)
        case .none: separateChroma(rows, NoSeparator(), &chromaI, &chromaQ, firstRow)
        }
    }

    @inline(__always)
    private func separateChroma(
        _ rows: CompositeRows, _ separator: some LumaSeparator, _ planeI: inout Plane, _ planeQ: inout Plane,
        _ firstRow: Int
    ) {
        var separator = separator
        var chromaI = planeI.columns
        var chromaQ = planeQ.columns
        guard chromaI.count == rows.count, chromaQ.count == rows.count else { return }
        var splitter = ChromaSplitter(carrier.waves(firstRow: firstRow))
        for x in chromaI.indices {
            splitter.split(rows[x], separator.luma(rows, x), at: x, &chromaI, &chromaQ)
        }
        splitter.finish(&chromaI, &chromaQ, count: rows.count)
    }
}

/// A filter that separates luma from the composite signal, column by column.
private protocol LumaSeparator {
    /// Luma of column `x`; called for the columns in order.
    mutating func luma(_ rows: CompositeRows, _ x: Int) -> Lanes
}

private struct NotchSeparator: LumaSeparator {
    private var notch: SecondOrder = .carrierNotch

    @inline(__always)
    mutating func luma(_ rows: CompositeRows, _ x: Int) -> Lanes { notch.step(rows[x]) }
}

/// All of the composite signal is luma, so chroma is 0.
private struct NoSeparator: LumaSeparator {
    @inline(__always)
    func luma(_ rows: CompositeRows, _ x: Int) -> Lanes { rows[x] }
}

private struct BoxSeparator: LumaSeparator {
    @inline(__always)
    func luma(_ rows: CompositeRows, _ x: Int) -> Lanes {
        let last = rows.count - 1
        let left = x > 0 ? rows[x - 1] : blackLevel
        return (((left + rows[x]) + rows[min(x + 1, last)]) + rows[min(x + 2, last)]) * Lanes(0.25)
    }
}

private struct OneLineSeparator: LumaSeparator {
    @inline(__always)
    func luma(_ rows: CompositeRows, _ x: Int) -> Lanes { (rows.above(x) + rows[x]) * Lanes(0.5) }
}

private struct TwoLineSeparator: LumaSeparator {
    @inline(__always)
    func luma(_ rows: CompositeRows, _ x: Int) -> Lanes {
        let upper = rows[x] * Lanes(0.5) + rows.above(x) * Lanes(0.25)
        return upper + rows.below(x) * Lanes(0.25)
    }
}

/// Multiplies chroma by the carrier; samples at zeros of a carrier are interpolated from their neighbours.
struct ChromaSplitter {
    private let waves: CarrierWaves
    /// Chroma of the last two columns, with the signs of columns 0 and 1 of a period.
    private var (before, current) = (Lanes(0), Lanes(0))

    @inline(__always)
    init(_ waves: CarrierWaves) { self.waves = waves }

    /// Takes composite and luma of column `x` and writes chroma of column `x - 1`, which depends on it.
    @inline(__always)
    @_lifetime(chromaI: copy chromaI)
    @_lifetime(chromaQ: copy chromaQ)
    mutating func split(
        _ composite: Lanes, _ luma: Lanes, at x: Int, _ chromaI: inout MutableSpan<Lanes>,
        _ chromaQ: inout MutableSpan<Lanes>
    ) {
        let (i, q) = split(composite, luma, phase: x & 3)
        if x > 0 { (chromaI[x - 1], chromaQ[x - 1]) = (i, q) }
    }

    /// Takes composite and luma of a column and returns I and Q of the previous column; `phase` is `x` modulo 4.
    @inline(__always)
    mutating func split(_ composite: Lanes, _ luma: Lanes, phase: Int) -> (i: Lanes, q: Lanes) {
        let next = phase < 2 ? composite - luma : luma - composite
        defer { (before, current) = (current, next) }
        return waves.separated(current, Lanes(0.5) * (before + next), isOdd: (phase & 1) == 0)
    }

    /// Writes the last column, which has no right neighbour.
    @inline(__always)
    @_lifetime(chromaI: copy chromaI)
    @_lifetime(chromaQ: copy chromaQ)
    mutating func finish(
        _ chromaI: inout MutableSpan<Lanes>, _ chromaQ: inout MutableSpan<Lanes>, count: Int
    ) {
        guard count > 0 else { return }
        (chromaI[count - 1], chromaQ[count - 1]) = split(Lanes(0), Lanes(0), phase: count & 3)
    }
}
