/// A filter with its state, for all rows of a block at the same time: a lane of each vector is a row.
///
/// The filters have transposed direct form II, and the order of roundings of docs/NTSC.md, "Filter arithmetic".
protocol RunningFilter {
    init(_ filter: Filter)
    mutating func step(_ x: Lanes) -> Lanes
}

struct FirstOrder: RunningFilter {
    private let factors: Factors
    private var z1 = Lanes(0)

    @inline(__always)
    init(_ filter: Filter) { factors = Factors(filter.b0, filter.b1, -filter.a1) }

    @inline(__always)
    mutating func step(_ x: Lanes) -> Lanes {
        let (b0, b1, minusA1) = (factors.first, factors.second, factors.third)
        let y = fma(b0, x, z1)
        z1 = fma(minusA1, y, b1 * x)
        return y
    }
}

struct SecondOrder: RunningFilter {
    private let factors, moreFactors: Factors
    private var z1 = Lanes(0)
    private var z2 = Lanes(0)

    @inline(__always)
    init(_ filter: Filter) {
        factors = Factors(filter.b0, filter.b1, filter.b2, -filter.a1)
        moreFactors = Factors(-filter.a2)
    }

    /// Starts in the steady state for the input `first`; lanes with 0 start at rest.
    @inline(__always)
    init(_ filter: Filter, settledAt first: Lanes) {
        self.init(filter)
        let steady = filter.steadyState
        let isZero = first .== Lanes(0)
        z1 = (first * Lanes(steady.z1)).replacing(with: Lanes(0), where: isZero)
        z2 = (first * Lanes(steady.z2)).replacing(with: Lanes(0), where: isZero)
    }

    @inline(__always)
    mutating func step(_ x: Lanes) -> Lanes {
        let (b0, b1, b2) = (factors.first, factors.second, factors.third)
        let (minusA1, minusA2) = (factors.fourth, moreFactors.first)
        let y = fma(b0, x, z1)
        z1 = fma(minusA1, y, fma(b1, x, z2))
        z2 = fma(minusA2, y, b2 * x)
        return y
    }
}

struct ThirdOrder: RunningFilter {
    private let factors, moreFactors: Factors
    private var z1 = Lanes(0)
    private var z2 = Lanes(0)
    private var z3 = Lanes(0)

    @inline(__always)
    init(_ filter: Filter) {
        factors = Factors(filter.b0, filter.b1, filter.b2, filter.b3)
        moreFactors = Factors(-filter.a1, -filter.a2, -filter.a3)
    }

    @inline(__always)
    mutating func step(_ x: Lanes) -> Lanes {
        let (b0, b1, b2, b3) = (factors.first, factors.second, factors.third, factors.fourth)
        let (minusA1, minusA2, minusA3) = (moreFactors.first, moreFactors.second, moreFactors.third)
        let y = fma(b0, x, z1)
        z1 = fma(minusA1, y, fma(b1, x, z2))
        z2 = fma(minusA2, y, fma(b2, x, z3))
        z3 = fma(minusA3, y, b3 * x)
        return y
    }
}

#if !(FUSED_MULTIPLY_ADD || arch(arm64))
    /// A slow second-order filter with fused multiply-add in software, for processors without that instruction.
    ///
    /// It is used only if poles near the unit circle accumulate rounding errors; see `Filter.isMarginal`.
    struct ExactSecondOrder: RunningFilter {
        private let filter: Filter
        private var z1 = Lanes(0)
        private var z2 = Lanes(0)

        init(_ filter: Filter) { self.filter = filter }

        mutating func step(_ x: Lanes) -> Lanes {
            var y = Lanes(0)
            for lane in 0..<rowsPerBlock {
                y[lane] = fused(filter.b0, x[lane], z1[lane])
                z1[lane] = fused(-filter.a1, y[lane], fused(filter.b1, x[lane], z2[lane]))
                z2[lane] = fused(-filter.a2, y[lane], filter.b2 * x[lane])
            }
            return y
        }

        /// Double precision gives the exact product of two floats; the sum is rounded to a double and then to a float.
        private func fused(_ a: Float, _ b: Float, _ c: Float) -> Float {
            Float(Double(a) * Double(b) + Double(c))
        }
    }
#endif

// MARK: - Along the rows

/// Runs a filter from rest along all columns, and moves its output `delay` columns to the left.
func run(_ filter: Filter, along plane: inout Plane, delay: Int = 0) {
    switch filter.kernel {
    case .first: run(FirstOrder(filter), along: &plane, delay: delay)
    case .second: run(SecondOrder(filter), along: &plane, delay: delay)
    case .third: run(ThirdOrder(filter), along: &plane, delay: delay)
    #if !(FUSED_MULTIPLY_ADD || arch(arm64))
        case .exactSecond: run(ExactSecondOrder(filter), along: &plane, delay: delay)
    #endif
    }
}

/// Runs two filters in one loop; they are independent, so both cost little more than one.
func run(
    _ filterA: Filter, along planeA: inout Plane, delay delayA: Int,
    _ filterB: Filter, along planeB: inout Plane, delay delayB: Int
) {
    switch (filterA.kernel, filterB.kernel) {
    case (.second, .second):
        run(
            SecondOrder(filterA), along: &planeA, delay: delayA, SecondOrder(filterB), along: &planeB, delay: delayB)
    case (.third, .third):
        run(ThirdOrder(filterA), along: &planeA, delay: delayA, ThirdOrder(filterB), along: &planeB, delay: delayB)
    default:
        run(filterA, along: &planeA, delay: delayA)
        run(filterB, along: &planeB, delay: delayB)
    }
}

/// Runs a filter along all columns and moves its output `delay` columns to the left.
///
/// Input past the end repeats the last column; the first `delay` outputs are dropped.
@inline(__always)
func run(_ filter: some RunningFilter, along plane: inout Plane, delay: Int = 0) {
    var filter = filter
    var columns = plane.columns
    let width = columns.count
    guard width > 0 else { return }
    let last = columns[width - 1]
    for x in 0..<min(delay, width) { _ = filter.step(columns[x]) }
    for _ in min(delay, width)..<delay { _ = filter.step(last) }
    for x in min(delay, width)..<width { columns[x - delay] = filter.step(columns[x]) }
    for x in max(0, width - delay)..<width { columns[x] = filter.step(last) }
}

@inline(__always)
func run<A: RunningFilter, B: RunningFilter>(
    _ filterA: A, along planeA: inout Plane, delay delayA: Int,
    _ filterB: B, along planeB: inout Plane, delay delayB: Int
) {
    var filterA = filterA
    var filterB = filterB
    var a = planeA.columns
    var b = planeB.columns
    let width = a.count
    guard width > 0, b.count == width else { return }
    let lastA = a[width - 1]
    let lastB = b[width - 1]
    for x in 0..<(width + max(delayA, delayB)) {
        let outA = filterA.step(x < width ? a[x] : lastA)
        let outB = filterB.step(x < width ? b[x] : lastB)
        if x >= delayA && x - delayA < width { a[x - delayA] = outA }
        if x >= delayB && x - delayB < width { b[x - delayB] = outB }
    }
}
