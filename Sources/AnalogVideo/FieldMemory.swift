/// State of one field that a band keeps from one block to the next.
struct FieldMemory: ~Copyable {
    /// Blocks of composite signal that later blocks read.
    var window: CompositeWindow
    /// Chroma of the last row of the previous block, before the vertical blend.
    var chromaAbove: ChromaRow
    /// Last row of the previous block, as written to the picture.
    var shownLuma: [Float]
    var shownI: [Float]
    var shownQ: [Float]

    init(width: Int) {
        window = CompositeWindow(width: width)
        let row = [Float](repeating: 0, count: width)
        let chroma = [SampleAbove](repeating: SampleAbove(0), count: width)
        chromaAbove = ChromaRow(i: chroma, q: chroma)
        shownLuma = row
        shownI = row
        shownQ = row
        // The arrays share memory until the first write. This write prevents an allocation on the streaming thread.
        clear()
    }

    /// Begins a band: sets the rows above its first block to 0.
    mutating func clear() {
        for x in shownLuma.indices {
            chromaAbove.i[x] = SampleAbove(0)
            chromaAbove.q[x] = SampleAbove(0)
            shownLuma[x] = 0
            shownI[x] = 0
            shownQ[x] = 0
        }
    }
}

struct ChromaRow {
    var i: [SampleAbove]
    var q: [SampleAbove]
}
