import AnalogVideoModel

/// Input luma filter, chroma low-pass, modulation, sharpening and noise in one pass over a block of rows.
///
/// A recursive filter depends only on its own previous output, so filters in one loop run in parallel and cost little
/// more than the slowest of them. The signal stays in registers. The separate stages give the same bits.
struct EncodingSweep: FusedSweep, Sendable {
    static var stages: ClosedRange<SignalStage> { .lumaFilter ... .compositeNoise }

    private let bandLimit: LumaBandLimit?
    private let inputLumaFilter: InputLumaFilter?
    private let chroma: ChromaBandLimit?
    private let carrier: Carrier
    private let preemphasis: Filter
    private let noise: RowNoise?

    /// Nil if the stages must run separately.
    init?(
        _ bandLimit: LumaBandLimit?, _ inputLumaFilter: InputLumaFilter?, _ chroma: ChromaBandLimit?,
        _ carrier: Carrier, _ preemphasis: CompositePreemphasis?, _ noise: RowNoise?
    ) {
        // The box filter is not a `RunningFilter`, and the loop supports chroma filters of one kernel only.
        guard inputLumaFilter?.isNotch != false, chroma?.isOfOneKind != false else { return nil }
        self.bandLimit = bandLimit
        self.inputLumaFilter = inputLumaFilter
        self.chroma = chroma
        self.carrier = carrier
        self.preemphasis = preemphasis?.filter ?? .identity
        self.noise = noise
    }

    /// `memory` is `Workspace.weights`.
    func walk(
        _ luma: inout Plane, _ chromaI: borrowing Plane, _ chromaQ: borrowing Plane, firstRow: Int,
        memory: inout Plane
    ) {
        // Only the default filters add noise in the loop, and only those of SECAM limit luma in it, because each combination
        // is a separate loop.
        if let bandLimit, chroma == nil, inputLumaFilter != nil, let swept = noise?.swept(firstRow: firstRow) {
            let (limit, first) = bandLimit.begun(at: luma)
            let notch = SecondOrder.carrierNotch(settledAt: first)
            return walk(swept, limit, notch, PassThrough.self, &luma, chromaI, chromaQ, firstRow)
        }
        bandLimit?.apply(to: &luma)
        let notch = SecondOrder.carrierNotch(settledAt: luma.firstColumn)
        if chroma?.kernel == .second, inputLumaFilter != nil, let swept = noise?.swept(firstRow: firstRow) {
            return walk(swept, PassThrough(), notch, SecondOrder.self, &luma, chromaI, chromaQ, firstRow)
        }
        if inputLumaFilter == nil {
            walk(PassThrough(), &luma, chromaI, chromaQ, firstRow)
        } else {
            walk(notch, &luma, chromaI, chromaQ, firstRow)
        }
        noise?.add(to: &luma, firstRow: firstRow, memory: &memory)
    }

    @inline(__always)
    private func walk(
        _ filterY: some RunningFilter, _ luma: inout Plane, _ chromaI: borrowing Plane, _ chromaQ: borrowing Plane,
        _ firstRow: Int
    ) {
        switch chroma?.kernel {
        case .second: walk(NoNoise(), PassThrough(), filterY, SecondOrder.self, &luma, chromaI, chromaQ, firstRow)
        case .third: walk(NoNoise(), PassThrough(), filterY, ThirdOrder.self, &luma, chromaI, chromaQ, firstRow)
        default: walk(NoNoise(), PassThrough(), filterY, PassThrough.self, &luma, chromaI, chromaQ, firstRow)
        }
    }

    private func walk<Limit: RunningFilter, Chroma: RunningFilter>(
        _ noise: some SweptNoise, _ limit: Limit, _ filterY: some RunningFilter, _: Chroma.Type, _ planeY: inout Plane,
        _ planeI: borrowing Plane, _ planeQ: borrowing Plane, _ firstRow: Int
    ) {
        let count = planeY.readOnlyColumns.count
        let last = count - 1
        guard last >= 0, planeI.readOnlyColumns.count == count, planeQ.readOnlyColumns.count == count else { return }
        let (luma, chromaI, chromaQ) = unsafe (planeY.start, planeI.start, planeQ.start)
        var filterI = Chroma(chroma?.filterI ?? .identity)
        var filterQ = Chroma(chroma?.filterQ ?? .identity)
        let delayI = chroma?.delayI ?? 0
        let delayQ = chroma?.delayQ ?? 0
        let delayY = Limit.self == PassThrough.self ? 0 : 1
        // The filters run ahead by as many columns as their delay; `limit` already does.
        for x in 0..<delayI { _ = unsafe filterI.step(chromaI[min(x, last)]) }
        for x in 0..<delayQ { _ = unsafe filterQ.step(chromaQ[min(x, last)]) }
        var encoder = Encoder(
            limit: limit, filterY: filterY, filterI: filterI, filterQ: filterQ,
            waves: carrier.waves(firstRow: firstRow), sharpener: FirstOrder(preemphasis), noise: noise)
        // Number of columns, in whole periods of the carrier, for which all samples are inside the row.
        let whole = max(0, count - max(delayY, delayI, delayQ)) & ~3
        unsafe encodePeriods(&encoder, whole, luma, delayY, chromaI + delayI, chromaQ + delayQ)
        for x in whole..<count {
            let (i, q) = unsafe (chromaI[min(x + delayI, last)], chromaQ[min(x + delayQ, last)])
            let composite = unsafe encoder.step(luma[min(x + delayY, last)], i, q, phase: x & 3)
            unsafe luma[x] = encoder.noise.add(to: composite, x: x)
        }
    }

    /// Encodes whole periods of the carrier, up to column `end`.
    ///
    /// Memory is accessed without bounds checks, which take the registers of the filters.
    @inline(__always)
    @unsafe private func encodePeriods(
        _ encoder: inout Encoder<some RunningFilter, some RunningFilter, some RunningFilter, some SweptNoise>,
        _ end: Int, _ luma: UnsafeMutablePointer<Lanes>, _ delayY: Int,
        _ chromaI: UnsafeMutablePointer<Lanes>, _ chromaQ: UnsafeMutablePointer<Lanes>
    ) {
        var running = encoder
        var x = 0
        while x < end {
            Columns.forEachInPeriod { phase in
                let column = x &+ phase
                var y = unsafe Columns(luma + (column &+ delayY))
                let (i, q) = unsafe (Columns(chromaI + column), Columns(chromaQ + column))
                Columns.forEach { number in
                    let composite = running.step(y[number], i[number], q[number], phase: phase &+ number)
                    y[number] = running.noise.add(to: composite, x: phase &+ number)
                }
                unsafe y.store(to: luma + column)
            }
            x &+= 4
        }
        encoder = running
    }
}

/// Filters and noise of the sweep, with their states.
private struct Encoder<Limit: RunningFilter, Luma: RunningFilter, Chroma: RunningFilter, Noise: SweptNoise> {
    var limit: Limit
    var filterY: Luma
    var filterI, filterQ: Chroma
    let waves: CarrierWaves
    var sharpener: FirstOrder
    var noise: Noise

    /// Encodes one column, without noise; `phase` is the number of the column modulo 4.
    @inline(__always)
    mutating func step(_ y: Lanes, _ i: Lanes, _ q: Lanes, phase: Int) -> Lanes {
        sharpener.step(waves.composite(filterY.step(limit.step(y)), filterI.step(i), filterQ.step(q), phase: phase))
    }
}

/// A filter whose output is its input, for a stage that is off.
struct PassThrough: RunningFilter {
    @inline(__always)
    init(_: Filter = .identity) {}

    @inline(__always)
    mutating func step(_ x: Lanes) -> Lanes { x }
}
