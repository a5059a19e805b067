/// Transposes a matrix of 4 by 4 words in each group of four lanes.
///
/// With rows 0 … 3 in the first groups, rows 4 … 7 in the second groups and so on, the results are columns of a block.
/// Each step is one shuffle instruction per vector, since no word moves from one group to another.
@inline(__always)
func transpose(
    _ a: LaneBits, _ b: LaneBits, _ c: LaneBits, _ d: LaneBits
) -> (LaneBits, LaneBits, LaneBits, LaneBits) {
    let ab0 = pairsLow(a, b)
    let ab2 = pairsHigh(a, b)
    let cd0 = pairsLow(c, d)
    let cd2 = pairsHigh(c, d)
    return (foursLow(ab0, cd0), foursHigh(ab0, cd0), foursLow(ab2, cd2), foursHigh(ab2, cd2))
}

@inline(__always)
private func pairsLow(_ a: LaneBits, _ b: LaneBits) -> LaneBits {
    LaneBits { lane in ((lane & 1) == 0 ? a : b)[(lane & ~3) + ((lane & 2) >> 1)] }
}

@inline(__always)
private func pairsHigh(_ a: LaneBits, _ b: LaneBits) -> LaneBits {
    LaneBits { lane in ((lane & 1) == 0 ? a : b)[(lane & ~3) + 2 + ((lane & 2) >> 1)] }
}

@inline(__always)
private func foursLow(_ a: LaneBits, _ b: LaneBits) -> LaneBits {
    LaneBits { lane in ((lane & 2) == 0 ? a : b)[(lane & ~3) + (lane & 1)] }
}

@inline(__always)
private func foursHigh(_ a: LaneBits, _ b: LaneBits) -> LaneBits {
    LaneBits { lane in ((lane & 2) == 0 ? a : b)[(lane & ~3) + 2 + (lane & 1)] }
}
