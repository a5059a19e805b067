import AnalogVideoModel

/// Access to one component of a Y'CbCr picture, or to two interleaved ones, in all rows of a block at the same time.
///
/// A vector holds a word of four bytes of each row. Its lanes are rows, so no transposition is necessary. Shifts
/// extract the samples of a word.
struct ComponentRows {
    private let first, second: YUVPacking.Place
    private let isPair: Bool
    /// Mask of the significant bits of a sample, and mask of all bits of its bytes.
    private let numberMask, sampleMask: UInt32
    /// Number of samples and of bytes in a row.
    private let count, rowBytes: Int

    /// `second` is a component that is interleaved with `first` in the same bytes.
    init(_ first: YUVPacking.Place, _ second: YUVPacking.Place? = nil, _ picture: Picture, count: Int) {
        self.first = first
        self.second = second ?? first
        isPair = second != nil
        numberMask = (1 << UInt32(picture.layout.format.yuv?.depth ?? 8)) - 1
        sampleMask = first.sampleBytes == 2 ? 0xFFFF : 0xFF
        self.count = count
        rowBytes = picture.rowBytes[first.plane]
    }

    /// Position of sample `number` in a word, in bits.
    @inline(__always)
    private func shift(_ place: YUVPacking.Place, _ number: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: (place.offset &+ (number &* place.step)) &* 8)
    }

    /// Number of words that are completely inside the row and contain only its samples.
    @inline(__always)
    private func wholeWords(_ samples: Int) -> Int { min(rowBytes / 4, count / samples) }

    // MARK: From the picture

    /// Interpolation of a row from the two nearest rows of the plane.
    struct Blend {
        let far: RowStarts
        let nearPart, farPart: Lanes
    }

    /// Reads the codes of the samples; `planeB` receives the codes of the second component, if there is one.
    func read(_ rows: RowStarts, _ blend: Blend?, into planeA: inout Plane, _ planeB: inout Plane) {
        switch (first.step, isPair) {
        case (1, _): read(4, false, rows, blend, &planeA, &planeB)
        case (2, false): read(2, false, rows, blend, &planeA, &planeB)
        case (2, true): read(2, true, rows, blend, &planeA, &planeB)
        case (_, false): read(1, false, rows, blend, &planeA, &planeB)
        case (_, true): read(1, true, rows, blend, &planeA, &planeB)
        }
    }

    @inline(__always)
    private func read(
        _ samples: Int, _ isPair: Bool, _ rows: RowStarts, _ blend: Blend?, _ planeA: inout Plane,
        _ planeB: inout Plane
    ) {
        var columnsA = planeA.columns
        var columnsB = planeB.columns
        let whole = wholeWords(samples)
        if let blend {
            for word in 0..<whole {
                let near = rows.bytes(word)
                let far = blend.far.bytes(word)
                for number in 0..<samples {
                    let x = word &* samples &+ number
                    columnsA[x] = mean(near, far, blend, first, number)
                    if isPair { columnsB[x] = mean(near, far, blend, second, number) }
                }
            }
        } else {
            for word in 0..<whole {
                let near = rows.bytes(word)
                for number in 0..<samples {
                    let x = word &* samples &+ number
                    columnsA[x] = value(near, first, number)
                    if isPair { columnsB[x] = value(near, second, number) }
                }
            }
        }
        guard whole * samples < count else { return }
        let near = rows.bytes(whole, end: rowBytes)
        let far = blend?.far.bytes(whole, end: rowBytes) ?? near
        let parts = blend ?? Blend(far: rows, nearPart: Lanes(1), farPart: Lanes(0))
        for x in (whole * samples)..<count {
            columnsA[x] = mean(near, far, parts, first, x - whole * samples)
            if isPair { columnsB[x] = mean(near, far, parts, second, x - whole * samples) }
        }
    }

    @inline(__always)
    private func value(_ words: LaneBits, _ place: YUVPacking.Place, _ number: Int) -> Lanes {
        let shift = shift(place, number) &+ UInt32(truncatingIfNeeded: place.unusedBits)
        return float((words &>> LaneBits(repeating: shift)) & LaneBits(repeating: numberMask))
    }

    @inline(__always)
    private func mean(
        _ near: LaneBits, _ far: LaneBits, _ blend: Blend, _ place: YUVPacking.Place, _ number: Int
    ) -> Lanes {
        fma(value(near, place, number), blend.nearPart, value(far, place, number) * blend.farPart)
    }

    // MARK: To the picture

    /// Stores the columns, rounded to nearest; other components in the same bytes do not change.
    ///
    /// The values must be in the range of codes of the sample depth.
    func write(_ planeA: borrowing Plane, _ planeB: borrowing Plane, to rows: RowStarts) {
        switch (first.step, isPair) {
        case (1, _): write(4, false, planeA, planeB, rows)
        case (2, false): write(2, false, planeA, planeB, rows)
        case (2, true): write(2, true, planeA, planeB, rows)
        case (_, false): write(1, false, planeA, planeB, rows)
        case (_, true): write(1, true, planeA, planeB, rows)
        }
    }

    @inline(__always)
    private func write(
        _ samples: Int, _ isPair: Bool, _ planeA: borrowing Plane, _ planeB: borrowing Plane, _ rows: RowStarts
    ) {
        let columnsA = planeA.readOnlyColumns
        let columnsB = planeB.readOnlyColumns
        let whole = wholeWords(samples)
        let kept = ~coveredBits(samples)
        for word in 0..<whole {
            var words = LaneBits(repeating: 0)
            for number in 0..<samples {
                let x = word &* samples &+ number
                words |= placed(columnsA[x], first, number)
                if isPair { words |= placed(columnsB[x], second, number) }
            }
            rows.store(words, keeping: kept, word)
        }
        guard whole * samples < count else { return }
        var words = LaneBits(repeating: 0)
        for x in (whole * samples)..<count {
            words |= placed(columnsA[x], first, x - whole * samples)
            if isPair { words |= placed(columnsB[x], second, x - whole * samples) }
        }
        rows.store(words, keeping: ~coveredBits(count - whole * samples), whole, end: rowBytes)
    }

    /// Mask of the bits of a word that its first `samples` samples occupy.
    private func coveredBits(_ samples: Int) -> UInt32 {
        var covered: UInt32 = 0
        for number in 0..<samples {
            covered |= sampleMask << shift(first, number)
            if isPair { covered |= sampleMask << shift(second, number) }
        }
        return covered
    }

    @inline(__always)
    private func placed(_ value: Lanes, _ place: YUVPacking.Place, _ number: Int) -> LaneBits {
        let shift = shift(place, number) &+ UInt32(truncatingIfNeeded: place.unusedBits)
        // The sum with 2²³ has the rounded value in its low bits.
        let whole = bits(value + Lanes(8_388_608)) & LaneBits(repeating: numberMask)
        return whole &<< LaneBits(repeating: shift)
    }
}
