/// Turns eight rows of eight numbers into eight columns.
@inline(__always)
func transpose(_ rows: inout InlineArray<8, LaneBits>) {
    // Pairs, then pairs of pairs, then halves: each step is one shuffle instruction a vector.
    let a0 = pairsLow(rows[0], rows[1])
    let a1 = pairsHigh(rows[0], rows[1])
    let a2 = pairsLow(rows[2], rows[3])
    let a3 = pairsHigh(rows[2], rows[3])
    let a4 = pairsLow(rows[4], rows[5])
    let a5 = pairsHigh(rows[4], rows[5])
    let a6 = pairsLow(rows[6], rows[7])
    let a7 = pairsHigh(rows[6], rows[7])
    let b0 = foursLow(a0, a2)
    let b1 = foursHigh(a0, a2)
    let b2 = foursLow(a1, a3)
    let b3 = foursHigh(a1, a3)
    let b4 = foursLow(a4, a6)
    let b5 = foursHigh(a4, a6)
    let b6 = foursLow(a5, a7)
    let b7 = foursHigh(a5, a7)
    rows[0] = LaneBits(lowHalf: b0.lowHalf, highHalf: b4.lowHalf)
    rows[1] = LaneBits(lowHalf: b1.lowHalf, highHalf: b5.lowHalf)
    rows[2] = LaneBits(lowHalf: b2.lowHalf, highHalf: b6.lowHalf)
    rows[3] = LaneBits(lowHalf: b3.lowHalf, highHalf: b7.lowHalf)
    rows[4] = LaneBits(lowHalf: b0.highHalf, highHalf: b4.highHalf)
    rows[5] = LaneBits(lowHalf: b1.highHalf, highHalf: b5.highHalf)
    rows[6] = LaneBits(lowHalf: b2.highHalf, highHalf: b6.highHalf)
    rows[7] = LaneBits(lowHalf: b3.highHalf, highHalf: b7.highHalf)
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
