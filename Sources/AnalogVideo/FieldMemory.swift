/// State of one field that a band keeps from one block to the next.
struct FieldMemory: ~Copyable {
    /// Blocks of composite signal that later blocks read.
    var window: CompositeWindow
    /// Chroma of the last row of the previous block, before the delay line of the receiver.
    var delayed: ChromaRow
    /// Chroma of the last row of the previous block, before the vertical blend, and of the row above that.
    var chromaAbove: ChromaRow
    var chromaTwoAbove: ChromaRow
    /// The same rows in later recordings.
    private var later: [(above: ChromaRow, twoAbove: ChromaRow)] = []
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

    /// Reserves memory for this number of recordings, and releases that of others.
    mutating func reserve(generations: Int) {
        let count = max(0, generations - 1)
        guard later.count != count else { return }
        later.removeLast(max(0, later.count - count))
        while later.count < count {
            let chroma = [SampleAbove](repeating: SampleAbove(0), count: shownLuma.count)
            later.append((ChromaRow(i: chroma, q: chroma), ChromaRow(i: chroma, q: chroma)))
        }
        // As in the initializer.
        clear()
    }

    /// Begins a band: sets the rows above its first block to 0.
    mutating func clear() {
        delayed.clear()
        chromaAbove.clear()
        chromaTwoAbove.clear()
        for x in shownLuma.indices {
            shownLuma[x] = 0
            shownI[x] = 0
            shownQ[x] = 0
        }
        for index in later.indices {
            later[index].above.clear()
            later[index].twoAbove.clear()
        }
    }

    /// Replaces chroma of each row by its mean with the row that is `distance`, 1 or 2, rows above.
    ///
    /// The first recording is 0; memory must be reserved for a later one.
    mutating func blendVertically(
        _ chromaI: inout Plane, _ chromaQ: inout Plane, distance: Int, generation: Int = 0
    ) {
        guard generation == 0 else {
            guard later.indices.contains(generation - 1) else { return }
            swapRows(generation)
            blendVertically(&chromaI, &chromaQ, distance: distance)
            return swapRows(generation)
        }
        if distance == 1 {
            blend(&chromaI, rowAbove: &chromaAbove.i)
            blend(&chromaQ, rowAbove: &chromaAbove.q)
        } else {
            blend(&chromaI, rowAbove: &chromaAbove.i, twoAbove: &chromaTwoAbove.i)
            blend(&chromaQ, rowAbove: &chromaAbove.q, twoAbove: &chromaTwoAbove.q)
        }
    }

    private mutating func swapRows(_ generation: Int) {
        swap(&chromaAbove, &later[generation - 1].above)
        swap(&chromaTwoAbove, &later[generation - 1].twoAbove)
    }
}

struct ChromaRow {
    var i: [SampleAbove]
    var q: [SampleAbove]

    mutating func clear() {
        for x in i.indices { i[x] = SampleAbove(0) }
        for x in q.indices { q[x] = SampleAbove(0) }
    }
}
