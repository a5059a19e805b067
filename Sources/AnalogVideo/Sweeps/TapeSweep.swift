import AnalogVideoModel

/// Tape bandwidth, boost and sharpening of luma in one pass over a block of rows; see `EncodingSweep`.
///
/// Chroma loss may run after the sweep, although it precedes the sharpening, because the sharpening affects only luma.
struct TapeSweep: FusedSweep, Sendable {
    static var stages: ClosedRange<SignalStage> { .tapeLowpass ... .tapeSharpen }

    private let bandwidth: TapeBandwidth
    private let sharpening: Filter?
    private let losesColour: Bool

    /// Nil without a tape, or if the stages must run separately.
    init?(_ bandwidth: TapeBandwidth?, _ chromaLoss: ChromaLoss?, _ sharpening: TapeSharpening?) {
        guard let bandwidth, bandwidth.luma.runs(besides: bandwidth.chroma),
            sharpening?.filter.runs(besides: bandwidth.luma) != false
        else { return nil }
        self.bandwidth = bandwidth
        self.sharpening = sharpening?.filter
        losesColour = chromaLoss != nil
    }

    func walk(
        _ luma: inout Plane, _ chromaI: inout Plane, _ chromaQ: inout Plane, lostRows: Span<UInt8>, firstRow: Int
    ) {
        switch bandwidth.luma.kernel {
        case .second: walk(SecondOrder.self, &luma, &chromaI, &chromaQ)
        case .third: walk(ThirdOrder.self, &luma, &chromaI, &chromaQ)
        default: break
        }
        if losesColour { removeChroma(&chromaI, &chromaQ, rows: lostRows, firstRow: firstRow) }
    }

    private func walk<Kind: RunningFilter>(
        _: Kind.Type, _ luma: inout Plane, _ chromaI: inout Plane, _ chromaQ: inout Plane
    ) {
        let tape = Chain(Kind(bandwidth.luma), FirstOrder(bandwidth.boost))
        if let sharpening {
            walk(Chain(tape, Kind(sharpening)), Kind.self, &luma, &chromaI, &chromaQ)
        } else {
            walk(tape, Kind.self, &luma, &chromaI, &chromaQ)
        }
    }

    @inline(__always)
    private func walk<Kind: RunningFilter>(
        _ filterY: some RunningFilter, _: Kind.Type, _ planeY: inout Plane, _ planeI: inout Plane,
        _ planeQ: inout Plane
    ) {
        let (startY, startI, startQ) = unsafe (planeY.start, planeI.start, planeQ.start)
        var luma = planeY.columns
        var chromaI = planeI.columns
        var chromaQ = planeQ.columns
        let last = luma.count - 1
        guard last >= 0, chromaI.count == luma.count, chromaQ.count == luma.count else { return }
        var filterY = filterY
        var filterI = Kind(bandwidth.chroma)
        var filterQ = Kind(bandwidth.chroma)
        let delay = bandwidth.chromaDelay
        for x in 0..<delay {
            _ = filterI.step(chromaI[min(x, last)])
            _ = filterQ.step(chromaQ[min(x, last)])
        }
        let (lastI, lastQ) = (chromaI[last], chromaQ[last])
        let whole = Columns.whole(max(0, luma.count - delay))
        var x = 0
        // Unchecked, because bounds checks take the registers of the filters.
        while x < whole {
            var y = unsafe Columns(startY + x)
            var i = unsafe Columns(startI + (x &+ delay))
            var q = unsafe Columns(startQ + (x &+ delay))
            Columns.forEach { y[$0] = filterY.step(y[$0]) }
            Columns.forEach { i[$0] = filterI.step(i[$0]) }
            Columns.forEach { q[$0] = filterQ.step(q[$0]) }
            unsafe y.store(to: startY + x)
            unsafe i.store(to: startI + x)
            unsafe q.store(to: startQ + x)
            x &+= Columns.count
        }
        for x in whole..<luma.count {
            let isInside = x + delay < last
            luma[x] = filterY.step(luma[x])
            chromaI[x] = filterI.step(isInside ? chromaI[x + delay] : lastI)
            chromaQ[x] = filterQ.step(isInside ? chromaQ[x + delay] : lastQ)
        }
    }
}

private struct Chain<First: RunningFilter, Second: RunningFilter>: RunningFilter {
    private var first: First
    private var second: Second

    @inline(__always)
    init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    @inline(__always)
    init(_ filter: Filter) { self.init(First(filter), Second(filter)) }

    @inline(__always)
    mutating func step(_ x: Lanes) -> Lanes { second.step(first.step(x)) }
}
