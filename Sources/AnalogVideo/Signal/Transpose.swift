/// Transposes a matrix of 4 by 4 words in the lower halves of the vectors, and another one in the upper halves.
///
/// With rows 0 … 3 in the lower halves and rows 4 … 7 in the upper halves, the results are columns of eight rows. Each
/// step is one shuffle instruction per vector, since no word moves from one half to the other.
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
    LaneBits(a[0], b[0], a[1], b[1], a[4], b[4], a[5], b[5])
}

@inline(__always)
private func pairsHigh(_ a: LaneBits, _ b: LaneBits) -> LaneBits {
    LaneBits(a[2], b[2], a[3], b[3], a[6], b[6], a[7], b[7])
}

@inline(__always)
private func foursLow(_ a: LaneBits, _ b: LaneBits) -> LaneBits {
    LaneBits(a[0], a[1], b[0], b[1], a[4], a[5], b[4], b[5])
}

@inline(__always)
private func foursHigh(_ a: LaneBits, _ b: LaneBits) -> LaneBits {
    LaneBits(a[2], a[3], b[2], b[3], a[6], a[7], b[6], b[7])
}
