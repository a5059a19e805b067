/// Transposes a matrix of 4 by 4 words in each group of four lanes.
///
/// With rows 0 … 3 in the first groups, rows 4 … 7 in the second groups and so on, the results are columns of a block;
/// with columns, the results are rows. Each step is one shuffle instruction per vector, because no word moves from one
/// group to another. The first step moves words of 64 bits. If both steps moved words of 32 bits, the compiler would
/// replace a load of four words and the shuffles by four loads of one word, which take three times as long.
@inline(__always)
func transpose(
    _ a: LaneBits, _ b: LaneBits, _ c: LaneBits, _ d: LaneBits
) -> (LaneBits, LaneBits, LaneBits, LaneBits) {
    let (ab0, cd0) = (lowPairs(a, b), lowPairs(c, d))
    let (ab2, cd2) = (highPairs(a, b), highPairs(c, d))
    return (evenWords(ab0, cd0), oddWords(ab0, cd0), evenWords(ab2, cd2), oddWords(ab2, cd2))
}

@inline(__always)
private func pairs(_ words: LaneBits) -> LanePairs { unsafe unsafeBitCast(words, to: LanePairs.self) }

@inline(__always)
private func lowPairs(_ a: LaneBits, _ b: LaneBits) -> LaneBits {
    let (a, b) = (pairs(a), pairs(b))
    return unsafe unsafeBitCast(LanePairs { (($0 & 1) == 0 ? a : b)[$0 & ~1] }, to: LaneBits.self)
}

@inline(__always)
private func highPairs(_ a: LaneBits, _ b: LaneBits) -> LaneBits {
    let (a, b) = (pairs(a), pairs(b))
    return unsafe unsafeBitCast(LanePairs { (($0 & 1) == 0 ? a : b)[$0 | 1] }, to: LaneBits.self)
}

@inline(__always)
private func evenWords(_ a: LaneBits, _ b: LaneBits) -> LaneBits {
    LaneBits { lane in ((lane & 2) == 0 ? a : b)[(lane & ~3) + 2 * (lane & 1)] }
}

@inline(__always)
private func oddWords(_ a: LaneBits, _ b: LaneBits) -> LaneBits {
    LaneBits { lane in ((lane & 2) == 0 ? a : b)[(lane & ~3) + 2 * (lane & 1) + 1] }
}
