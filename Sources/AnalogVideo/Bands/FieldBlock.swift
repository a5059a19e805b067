/// A block of eight rows of a field, while it is played.
struct FieldBlock: Sendable {
    let index: Int
    /// The first row of the field in the block.
    let firstRow: Int
    /// The first row that the block takes chroma from; with a vertical delay, chroma comes from other rows than luma.
    let chromaFirstRow: Int
    /// Whether the block belongs to the band that plays it.
    let isOwn: Bool

    init(_ index: Int, chromaDelay: Int = 0, isOwn: Bool = true) {
        self.index = index
        firstRow = index * rowsPerBlock
        chromaFirstRow = firstRow - chromaDelay
        self.isOwn = isOwn
    }
}
