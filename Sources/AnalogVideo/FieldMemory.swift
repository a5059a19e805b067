/// What a band carries of one field from a block to the next.
struct FieldMemory: ~Copyable {
    /// Composite signal that is still looked at.
    var window: CompositeWindow
    /// The colour of the last row of the block before, as it was before the vertical blend.
    var chromaAbove: ChromaRow
    /// The same row as it was shown.
    var shownLuma: [Float]
    var shownI: [Float]
    var shownQ: [Float]

    init(width: Int) {
        window = CompositeWindow(width: width)
        let row = [Float](repeating: 0, count: width)
        chromaAbove = ChromaRow(i: row, q: row)
        shownLuma = row
        shownI = row
        shownQ = row
        // Arrays share their memory until they are changed; taken here, it need not be taken while the stream runs.
        clear()
    }

    /// Begins a band: above its first block there is nothing yet.
    mutating func clear() {
        for x in shownLuma.indices {
            chromaAbove.i[x] = 0
            chromaAbove.q[x] = 0
            shownLuma[x] = 0
            shownI[x] = 0
            shownQ[x] = 0
        }
    }
}

/// One row of colour.
struct ChromaRow {
    var i: [Float]
    var q: [Float]
}
