import CLanes

/// Transposes a matrix with as many rows and columns as a block has rows.
///
/// `row` returns the words of a row, and `use` receives the columns in order. Each step is one shuffle instruction per
/// vector, because it moves either whole groups of four lanes or words within the groups. Groups move first, because
/// otherwise the compiler would compute halves of the results of the other steps twice.
@inline(__always)
func transpose(_ row: (Int) -> LaneBits, _ use: (Int, LaneBits) -> Void) {
    #if arch(arm64)
        let columns = transposed(row)
        use(0, columns.0)
        use(1, columns.1)
        use(2, columns.2)
        use(3, columns.3)
    #else
        let (a, b, c, d) = (rowsFourApart(0, row), rowsFourApart(1, row), rowsFourApart(2, row), rowsFourApart(3, row))
        transposeFour(0, a.0, b.0, c.0, d.0, use)
        transposeFour(4, a.1, b.1, c.1, d.1, use)
        #if SIXTEEN_ROWS
            transposeFour(8, a.2, b.2, c.2, d.2, use)
            transposeFour(12, a.3, b.3, c.3, d.3, use)
        #endif
    #endif
}

#if SIXTEEN_ROWS
    /// The first groups of four lanes of the rows `first`, `first + 4` and so on, their second groups and so on.
    @inline(__always)
    private func rowsFourApart(_ first: Int, _ row: (Int) -> LaneBits) -> (LaneBits, LaneBits, LaneBits, LaneBits) {
        let (a, b, c, d) = (row(first), row(first &+ 4), row(first &+ 8), row(first &+ 12))
        let (low, nextLow) = (clanes_low_halves(a, b), clanes_low_halves(c, d))
        let (high, nextHigh) = (clanes_high_halves(a, b), clanes_high_halves(c, d))
        return (
            clanes_even_groups(low, nextLow), clanes_odd_groups(low, nextLow), clanes_even_groups(high, nextHigh),
            clanes_odd_groups(high, nextHigh)
        )
    }
#elseif arch(arm64)
    /// The columns of the matrix.
    @inline(__always)
    func transposed(_ row: (Int) -> LaneBits) -> (LaneBits, LaneBits, LaneBits, LaneBits) {
        transposedFour(row(0), row(1), row(2), row(3))
    }
#else
    /// The first groups of four lanes of the rows `first` and `first + 4`, and their second groups.
    @inline(__always)
    private func rowsFourApart(_ first: Int, _ row: (Int) -> LaneBits) -> (LaneBits, LaneBits) {
        let (a, b) = (row(first), row(first &+ 4))
        return (clanes_low_halves(a, b), clanes_high_halves(a, b))
    }
#endif

#if !arch(arm64)
    @inline(__always)
    private func transposeFour(
        _ first: Int, _ a: LaneBits, _ b: LaneBits, _ c: LaneBits, _ d: LaneBits, _ use: (Int, LaneBits) -> Void
    ) {
        let columns = transposedFour(a, b, c, d)
        use(first, columns.0)
        use(first &+ 1, columns.1)
        use(first &+ 2, columns.2)
        use(first &+ 3, columns.3)
    }
#endif

/// Transposes a matrix of 4 by 4 words in each group of four lanes.
///
/// The first step moves words of 64 bits. If both steps moved words of 32 bits, the compiler would replace a load of
/// four words and the shuffles by four loads of one word, which take three times as long.
@inline(__always)
private func transposedFour(
    _ a: LaneBits, _ b: LaneBits, _ c: LaneBits, _ d: LaneBits
) -> (LaneBits, LaneBits, LaneBits, LaneBits) {
    let (low, nextLow) = (clanes_low_pairs(a, b), clanes_low_pairs(c, d))
    let (high, nextHigh) = (clanes_high_pairs(a, b), clanes_high_pairs(c, d))
    return (
        clanes_even_words(low, nextLow), clanes_odd_words(low, nextLow), clanes_even_words(high, nextHigh),
        clanes_odd_words(high, nextHigh)
    )
}
