import CLanes

/// Up to four factors, each of which multiplies all rows of a column.
///
/// An instruction of Arm multiplies a vector by a lane of another one. So four factors take one register, and the
/// filters of a sweep need no memory for them.
struct Factors {
    #if arch(arm64)
        private let lanes: SIMD4<Float>

        @inline(__always)
        init(_ first: Float, _ second: Float = 0, _ third: Float = 0, _ fourth: Float = 0) {
            lanes = clanes_in_one_register(SIMD4(first, second, third, fourth))
        }

        @inline(__always)
        var first: Factor { Factor(lanes, 0) }

        @inline(__always)
        var second: Factor { Factor(lanes, 1) }

        @inline(__always)
        var third: Factor { Factor(lanes, 2) }

        @inline(__always)
        var fourth: Factor { Factor(lanes, 3) }
    #else
        let first, second, third, fourth: Lanes

        @inline(__always)
        init(_ first: Float, _ second: Float = 0, _ third: Float = 0, _ fourth: Float = 0) {
            self.first = Lanes(first)
            self.second = Lanes(second)
            self.third = Lanes(third)
            self.fourth = Lanes(fourth)
        }
    #endif
}

#if !arch(arm64)
    /// A factor in all lanes.
    typealias Factor = Lanes
#else
    /// One of the factors of `Factors`; the compiler must know its number.
    struct Factor {
        fileprivate let lanes: SIMD4<Float>
        fileprivate let number: Int

        @inline(__always)
        fileprivate init(_ lanes: SIMD4<Float>, _ number: Int) {
            self.lanes = lanes
            self.number = number
        }

        @inline(__always)
        static func * (factor: Factor, x: Lanes) -> Lanes {
            switch factor.number {
            case 0: clanes_multiply0(x, factor.lanes)
            case 1: clanes_multiply1(x, factor.lanes)
            case 2: clanes_multiply2(x, factor.lanes)
            default: clanes_multiply3(x, factor.lanes)
            }
        }
    }

    /// `factor * x + sum` with one rounding.
    @inline(__always)
    func fma(_ factor: Factor, _ x: Lanes, _ sum: Lanes) -> Lanes {
        switch factor.number {
        case 0: clanes_fused0(x, factor.lanes, sum)
        case 1: clanes_fused1(x, factor.lanes, sum)
        case 2: clanes_fused2(x, factor.lanes, sum)
        default: clanes_fused3(x, factor.lanes, sum)
        }
    }
#endif
