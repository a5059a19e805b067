/// A block of rows of a field that is being played.
struct FieldBlock: Sendable {
    let index: Int
    /// First row of the field in the block.
    let firstRow: Int
    /// First row of chroma in the block; differs from `firstRow` with a vertical chroma delay.
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
