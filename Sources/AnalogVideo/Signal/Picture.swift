import AnalogVideoModel

/// Pixels of a frame, which the bands share during one call of `play`.
///
/// `@unchecked Sendable` is safe, because bands write disjoint rows. `Player.play` checks that every row is inside the
/// memory, and keeps the memory valid until the last band has returned.
@safe struct Picture: @unchecked Sendable {
    let layout: PictureLayout
    /// Number of bytes in a row of each plane; 0 for a missing plane.
    let rowBytes: InlineArray<3, Int>
    /// Number of rows of each plane; 0 for a missing plane.
    let rowCounts: InlineArray<3, Int>
    private let planes: InlineArray<3, UnsafeMutableRawPointer?>

    @unsafe init(_ planes: InlineArray<3, UnsafeMutableRawPointer?>, layout: PictureLayout) {
        self.layout = layout
        let (width, height) = (layout.width, layout.height)
        rowBytes = InlineArray { layout.format.rowBytes(ofPlane: $0, width: width) ?? 0 }
        rowCounts = InlineArray { layout.format.rows(ofPlane: $0, height: height) }
        unsafe self.planes = unsafe planes
    }

    /// Address of row `y`; the plane must exist.
    @unsafe func start(ofRow y: Int, plane: Int) -> UnsafeMutableRawPointer {
        unsafe planes[plane]! + (layout.planes[plane].firstRow + y * layout.planes[plane].stride)
    }

    /// Addresses of the rows of a block, for writing.
    func starts(of rows: PictureRows, plane: Int = 0) -> RowStarts {
        unsafe RowStarts(rows) { y in unsafe start(ofRow: y, plane: plane) }
    }
}

/// Numbers of the rows of a block in a plane; each can be missing.
struct PictureRows: Sendable {
    private var numbers: Block<Int>

    init() { numbers = Block(repeating: -1) }

    /// Number of the row in `lane`; nil if the row is missing.
    subscript(lane: Int) -> Int? {
        get { numbers[lane] < 0 ? nil : numbers[lane] }
        set { numbers[lane] = newValue ?? -1 }
    }

    var areEmpty: Bool { largest(numbers) < 0 }

    /// Whether no row is missing.
    var areAllThere: Bool { smallest(numbers) >= 0 }

    /// Rows of vertically subsampled chroma that belong to these rows.
    var halved: PictureRows {
        var rows = self
        for lane in 0..<rowsPerBlock { rows[lane] = self[lane].map { $0 / 2 } }
        return rows
    }

    /// Only the last of these rows.
    var last: PictureRows {
        var rows = PictureRows()
        for lane in 0..<rowsPerBlock where numbers[lane] == largest(numbers) { rows[lane] = self[lane] }
        return rows
    }
}
