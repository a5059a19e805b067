import AnalogVideoModel
import CLanes

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
        let (startA, startB) = unsafe (planeA.start, planeB.start)
        var columnsA = planeA.columns
        var columnsB = planeB.columns
        let whole = wholeWords(samples)
        // Unchecked in the loops, because bounds checks are a fifth of the instructions.
        guard whole * samples <= min(columnsA.count, columnsB.count) else { return }
        if let blend {
            rows.forEachWord(whole, with: blend.far) { word, near, far in
                let x = word &* samples
                for number in 0..<samples {
                    unsafe startA[x &+ number] = mean(near, far, blend, first, number, samples)
                    if isPair { unsafe startB[x &+ number] = mean(near, far, blend, second, number, samples) }
                }
            }
        } else {
            rows.forEachWord(whole) { word, near in
                let x = word &* samples
                for number in 0..<samples {
                    unsafe startA[x &+ number] = value(near, first, number, samples)
                    if isPair { unsafe startB[x &+ number] = value(near, second, number, samples) }
                }
            }
        }
        guard whole * samples < count else { return }
        let near = rows.bytes(whole, end: rowBytes)
        let far = blend?.far.bytes(whole, end: rowBytes) ?? near
        let parts = blend ?? Blend(far: rows, nearPart: Lanes(1), farPart: Lanes(0))
        for x in (whole * samples)..<count {
            columnsA[x] = mean(near, far, parts, first, x - whole * samples, 1)
            if isPair { columnsB[x] = mean(near, far, parts, second, x - whole * samples, 1) }
        }
    }

    /// Sample `number` of words of which each has `samples` samples of the component.
    @inline(__always)
    private func value(_ words: LaneBits, _ place: YUVPacking.Place, _ number: Int, _ samples: Int) -> Lanes {
        #if arch(arm64)
            // One instruction selects a byte of each word, and sets the other bits of the lane to 0.
            if samples == 4 { return float(clanes_bytes(words, LaneBits { 0xFFFF_FF00 | UInt32($0 * 4 + number) })) }
        #endif
        let shift = shift(place, number) &+ UInt32(truncatingIfNeeded: place.unusedBits)
        return float((words &>> LaneBits(repeating: shift)) & LaneBits(repeating: numberMask))
    }

    @inline(__always)
    private func mean(
        _ near: LaneBits, _ far: LaneBits, _ blend: Blend, _ place: YUVPacking.Place, _ number: Int, _ samples: Int
    ) -> Lanes {
        fma(
            value(near, place, number, samples), blend.nearPart, value(far, place, number, samples) * blend.farPart)
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
        let (startA, startB) = unsafe (planeA.start, planeB.start)
        let columnsA = planeA.readOnlyColumns
        let columnsB = planeB.readOnlyColumns
        let whole = wholeWords(samples)
        let kept = ~coveredBits(samples)
        guard whole * samples <= min(columnsA.count, columnsB.count) else { return }
        var word = 0
        #if arch(arm64)
            while samples == 4 && word &+ 4 <= whole {
                let start = unsafe startA + word &* 4
                transpose(
                    { unsafe bytes(start + $0 &* 4) },
                    { lane, bytes in rows.store(bytes, keeping: LaneBits(repeating: 0), word, lane) })
                word &+= 4
            }
        #endif
        while word < whole {
            let x = word &* samples
            var words = LaneBits(repeating: 0)
            for number in 0..<samples {
                words |= unsafe placed(startA[x &+ number], first, number)
                if isPair { words |= unsafe placed(startB[x &+ number], second, number) }
            }
            rows.store(words, keeping: kept, word)
            word &+= 1
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
        return (rounded(value) & LaneBits(repeating: numberMask)) &<< LaneBits(repeating: shift)
    }

    #if arch(arm64)
        /// A word of four samples of a byte each, from the columns at `columns`.
        @inline(__always)
        @unsafe private func bytes(_ columns: UnsafeMutablePointer<Lanes>) -> LaneBits {
            // One instruction selects the low bytes of the sums.
            unsafe clanes_bytes(
                rounded(columns[0]), rounded(columns[1]), rounded(columns[2]), rounded(columns[3]),
                LaneBits { 0x3020_1000 + UInt32($0) * 0x0404_0404 })
        }
    #endif

    /// Bits of the sum with 2²³, which has the rounded value in its low bits.
    @inline(__always)
    private func rounded(_ value: Lanes) -> LaneBits { bits(value + Lanes(8_388_608)) }
}
