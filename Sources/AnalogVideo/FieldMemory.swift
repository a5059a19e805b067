/// State of one field that a band keeps from one block to the next.
struct FieldMemory: ~Copyable {
    /// Blocks of composite signal that later blocks read.
    var window: CompositeWindow
    /// Chroma of the last row of the previous block, before the delay line of the receiver.
    var delayed: ChromaRow
    /// Chroma of the last row of the previous block, before the vertical blend, and of the row above that.
    var chromaAbove: ChromaRow
    var chromaTwoAbove: ChromaRow
    /// Last row of the previous block, as written to the picture.
    var shownLuma: [Float]
    var shownI: [Float]
    var shownQ: [Float]

    init(width: Int) {
        window = CompositeWindow(width: width)
        let row = [Float](repeating: 0, count: width)
        let chroma = [SampleAbove](repeating: SampleAbove(0), count: width)
        delayed = ChromaRow(i: chroma, q: chroma)
        chromaAbove = ChromaRow(i: chroma, q: chroma)
        chromaTwoAbove = ChromaRow(i: chroma, q: chroma)
        shownLuma = row
        shownI = row
        shownQ = row
        // The arrays share memory until the first write. This write prevents an allocation on the streaming thread.
        clear()
    }

    /// Begins a band: sets the rows above its first block to 0.
    mutating func clear() {
        for x in shownLuma.indices {
            delayed.i[x] = SampleAbove(0)
            delayed.q[x] = SampleAbove(0)
            chromaAbove.i[x] = SampleAbove(0)
            chromaAbove.q[x] = SampleAbove(0)
            chromaTwoAbove.i[x] = SampleAbove(0)
            chromaTwoAbove.q[x] = SampleAbove(0)
            shownLuma[x] = 0
            shownI[x] = 0
            shownQ[x] = 0
        }
    }

    /// Replaces chroma of each row by its mean with the row that is `distance`, 1 or 2, rows above.
    mutating func blendVertically(_ chromaI: inout Plane, _ chromaQ: inout Plane, distance: Int) {
        if distance == 1 {
            blend(&chromaI, rowAbove: &chromaAbove.i)
            blend(&chromaQ, rowAbove: &chromaAbove.q)
        } else {
            blend(&chromaI, rowAbove: &chromaAbove.i, twoAbove: &chromaTwoAbove.i)
            blend(&chromaQ, rowAbove: &chromaAbove.q, twoAbove: &chromaTwoAbove.q)
        }
    }
}

struct ChromaRow {
    var i: [SampleAbove]
    var q: [SampleAbove]
}
