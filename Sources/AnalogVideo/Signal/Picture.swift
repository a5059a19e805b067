import AnalogVideoModel

/// The pixels of a frame for the time of one `play`, shared by the bands.
///
/// Bands write disjoint rows; `Player.play` has checked that every row lies inside the memory and holds that memory
/// until the last band is done.
@safe struct Picture: @unchecked Sendable {
    let layout: PictureLayout
    /// The bytes of a row of each plane; 0 where there is no plane.
    let rowBytes: InlineArray<3, Int>
    /// The rows of each plane; 0 where there is no plane.
    let rowCounts: InlineArray<3, Int>
    private let planes: InlineArray<3, UnsafeMutableRawPointer?>

    @unsafe init(_ planes: InlineArray<3, UnsafeMutableRawPointer?>, layout: PictureLayout) {
        self.layout = layout
        let (width, height) = (layout.width, layout.height)
        rowBytes = InlineArray { layout.format.rowBytes(ofPlane: $0, width: width) ?? 0 }
        rowCounts = InlineArray { layout.format.rows(ofPlane: $0, height: height) }
        unsafe self.planes = unsafe planes
    }

    /// Where row `y` of a plane that is there begins.
    @unsafe func start(ofRow y: Int, plane: Int) -> UnsafeMutableRawPointer {
        unsafe planes[plane]! + (layout.planes[plane].firstRow + y * layout.planes[plane].stride)
    }

    /// Where eight rows begin, to write them.
    func starts(of rows: PictureRows, plane: Int = 0) -> RowStarts {
        unsafe RowStarts(rows) { y in unsafe start(ofRow: y, plane: plane) }
    }
}

/// Eight rows of a plane, by number; a row can be missing.
struct PictureRows: Sendable {
    private var numbers: SIMD8<Int>

    /// No rows.
    init() { numbers = SIMD8(repeating: -1) }

    /// The number of the row in `lane`, or nil.
    subscript(lane: Int) -> Int? {
        get { numbers[lane] < 0 ? nil : numbers[lane] }
        set { numbers[lane] = newValue ?? -1 }
    }

    var areEmpty: Bool { numbers.max() < 0 }

    /// The rows of chroma that stands for these and for others.
    var halved: PictureRows {
        var rows = self
        for lane in 0..<rowsPerBlock { rows[lane] = self[lane].map { $0 / 2 } }
        return rows
    }

    /// The last of the rows alone.
    var last: PictureRows {
        var rows = PictureRows()
        for lane in 0..<rowsPerBlock where numbers[lane] == numbers.max() { rows[lane] = self[lane] }
        return rows
    }
}
