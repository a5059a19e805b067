/// Row shifts, one for each row of a block, which are applied together.
struct SwayedRows: Sendable {
    private var whole = Block<Int>(repeating: 0)
    private var fraction = Lanes(0)

    mutating func set(_ lane: Int, whole: Int, fraction: Float) {
        self.whole[lane] = whole
        self.fraction[lane] = fraction
    }

    /// Columns, of `count`, of which `apply` reads samples to write `width` columns.
    func inputColumns(of count: Int, for width: Int) -> Range<Int> {
        let first = min(max(0, -1 - largest(whole)), count)
        return first..<min(max(first, width - smallest(whole)), count)
    }

    /// Writes the shifted rows to `shifted`; outside a row its first or last sample repeats.
    func apply(_ plane: borrowing Plane, to shifted: inout Plane) {
        let input = plane.readOnlyColumns
        let (source, result) = unsafe (plane.start, shifted.start)
        var output = shifted.columns
        let width = output.count
        guard input.count > 0 else { return }
        let nearPart = Lanes(1) - fraction
        // Columns from `inside` to `insideEnd` require no bounds check in any row.
        let inside = min(max(0, largest(whole) + 1), width)
        let insideEnd = max(inside, min(width, input.count + smallest(whole)))
        for x in 0..<inside { output[x] = clamped(input, x) * nearPart + clamped(input, x - 1) * fraction }
        if inside < insideEnd { unsafe applyInside(input, source, result, &output, inside..<insideEnd) }
        for x in insideEnd..<width { output[x] = clamped(input, x) * nearPart + clamped(input, x - 1) * fraction }
    }

    /// Shifts the columns whose input samples are inside the row in all rows.
    @_lifetime(output: copy output)
    @unsafe private func applyInside(
        _ input: Span<Lanes>, _ source: UnsafePointer<Lanes>, _ result: UnsafeMutablePointer<Lanes>,
        _ output: inout MutableSpan<Lanes>, _ columns: Range<Int>
    ) {
        // Neighbouring rows have similar shifts. In most blocks the whole parts differ by 2 at most.
        switch largest(whole) - smallest(whole) {
        case 0: unsafe applyInside(spread: 0, input, source, result, columns)
        case 1: unsafe applyInside(spread: 1, input, source, result, columns)
        case 2: unsafe applyInside(spread: 2, input, source, result, columns)
        case 3: unsafe applyInside(spread: 3, input, source, result, columns)
        default: gatherInside(input, &output, columns)
        }
    }

    /// Selects the samples from `spread + 1` columns, for whole parts that differ by at most `spread`.
    @inline(__always)
    @unsafe private func applyInside(
        spread: Int, _ input: Span<Lanes>, _ source: UnsafePointer<Lanes>, _ result: UnsafeMutablePointer<Lanes>,
        _ columns: Range<Int>
    ) {
        let least = smallest(whole)
        let areNext = InlineArray<4, Block<Int32>> { next in
            let isNext =
                Block<Int32>(truncatingIfNeeded: whole &- Block(repeating: least)) .== Block(repeating: Int32(next))
            return Block<Int32>(repeating: 0).replacing(with: -1, where: isNext)
        }
        let (isSecond, isThird, isFourth) = (areNext[1], areNext[2], areNext[3])
        let (farPart, nearPart) = (fraction, Lanes(1) - fraction)
        var far = clamped(input, columns.lowerBound - 1)
        /// The input of all rows; the row with the smallest shift reads the column at `place`.
        @inline(__always)
        func near(_ place: UnsafePointer<Lanes>) -> Lanes {
            var near = unsafe place[0]
            if spread >= 1 { near = unsafe select(isSecond, place[-1], near) }
            if spread >= 2 { near = unsafe select(isThird, place[-2], near) }
            if spread >= 3 { near = unsafe select(isFourth, place[-3], near) }
            return near
        }
        // Unchecked, because with bounds checks a pixel takes 0.23 to 0.35 ns, depending on the address of the loop.
        // `apply` passes only columns `x` for which `x - largest(whole)` to `x - smallest(whole)` are inside the row.
        var x = columns.lowerBound
        let groupsEnd = x &+ Columns.whole(columns.count)
        while x < groupsEnd {
            let place = unsafe source + (x &- least)
            var group = unsafe Columns(place)
            Columns.forEach { number in
                let near = unsafe near(place + number)
                group[number] = near * nearPart + far * farPart
                far = near
            }
            unsafe group.store(to: result + x)
            x &+= Columns.count
        }
        while x < columns.upperBound {
            let near = unsafe near(source + (x &- least))
            unsafe result[x] = near * nearPart + far * farPart
            far = near
            x &+= 1
        }
    }

    @_lifetime(output: copy output)
    private func gatherInside(_ input: Span<Lanes>, _ output: inout MutableSpan<Lanes>, _ columns: Range<Int>) {
        // Unsafe: with a bounds check and an address computation per sample, a pixel takes 1.2 ns instead of 0.7 ns.
        let size = MemoryLayout<Float>.size
        let offsets = PerRow<Int> { (($0 - whole[$0] * rowsPerBlock) * size) }
        let nearPart = Lanes(1) - fraction
        var far = clamped(input, columns.lowerBound - 1)
        unsafe input.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            for x in columns {
                let column = unsafe base + (x * MemoryLayout<Lanes>.stride)
                let near = Lanes { unsafe column.load(fromByteOffset: offsets[$0], as: Float.self) }
                output[x] = near * nearPart + far * fraction
                far = near
            }
        }
    }

    private func clamped(_ input: Span<Lanes>, _ x: Int) -> Lanes {
        var column = Lanes(0)
        for lane in 0..<rowsPerBlock {
            column[lane] = input[min(max(x - whole[lane], 0), input.count - 1)][lane]
        }
        return column
    }
}
