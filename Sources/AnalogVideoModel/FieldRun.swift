/// What the stream says about the fields of one frame.
public enum Scan: Sendable, Equatable {
    /// A whole picture taken at one moment; `NTSCSettings.useField` decides.
    case progressive
    /// A whole frame of two fields.
    case interlaced(topFieldFirst: Bool)
    /// One field, in every second row of a whole frame; the other rows are left as they are.
    case oneField(isTop: Bool)
    /// One field whose rows lie close together; the second of its frame where both come in one buffer.
    case separateField(isSecond: Bool, isTop: Bool)
}

/// One pass of the signal through the effect: the rows of one field.
///
/// The rules are those of docs/NTSC.md, "Fields".
public struct FieldRun: Sendable, Equatable {
    /// The row of the picture that is row 0 of the field.
    public var firstRow: Int
    /// From one row of the field to the next, in rows of the picture.
    public var rowStep: Int
    public var rowCount: Int
    /// The effect's own number, which seeds the randomness; it may count fields.
    public var frame: UInt64
    /// Whether the rows of the picture between those of the field are interpolated.
    public var fillsOtherRows: Bool

    public init(firstRow: Int, rowStep: Int, rowCount: Int, frame: UInt64, fillsOtherRows: Bool = false) {
        self.firstRow = firstRow
        self.rowStep = rowStep
        self.rowCount = rowCount
        self.frame = frame
        self.fillsOtherRows = fillsOtherRows
    }

    /// The one or two runs for frame `frame` of a picture of `height` rows; a second run without rows is left out.
    public static func plan(frame: UInt64, scan: Scan, useField: UseField, height: Int) -> (FieldRun, FieldRun?) {
        switch scan {
        case .separateField(let isSecond, _):
            let number = (frame &* 2) &+ (isSecond ? 1 : 0)
            return (FieldRun(firstRow: 0, rowStep: 1, rowCount: height, frame: number), nil)
        case .oneField(let isTop):
            return (isTop ? upper(height, frame &* 2) : lower(height, frame &* 2), nil)
        case .interlaced(let topFieldFirst):
            return interleaved(height, frame, upperFirst: topFieldFirst)
        case .progressive:
            break
        }
        switch useField {
        case .both: return (FieldRun(firstRow: 0, rowStep: 1, rowCount: height, frame: frame), nil)
        case .upper: return (filling(upper(height, frame)), nil)
        case .lower: return (filling(lower(height, frame)), nil)
        case .alternating:
            return (filling(frame.isMultiple(of: 2) ? lower(height, frame) : upper(height, frame)), nil)
        case .interleavedUpper: return interleaved(height, frame, upperFirst: true)
        case .interleavedLower: return interleaved(height, frame, upperFirst: false)
        }
    }

    private static func upper(_ height: Int, _ frame: UInt64) -> FieldRun {
        FieldRun(firstRow: 0, rowStep: 2, rowCount: (height + 1) / 2, frame: frame)
    }

    /// A picture of one row has no lower field; every mode reads that row then.
    private static func lower(_ height: Int, _ frame: UInt64) -> FieldRun {
        FieldRun(firstRow: height == 1 ? 0 : 1, rowStep: 2, rowCount: height > 1 ? height / 2 : height, frame: frame)
    }

    private static func filling(_ run: FieldRun) -> FieldRun {
        var run = run
        run.fillsOtherRows = true
        return run
    }

    private static func interleaved(_ height: Int, _ frame: UInt64, upperFirst: Bool) -> (FieldRun, FieldRun?) {
        let doubled = frame &* 2
        let even = upper(height, upperFirst ? doubled : doubled &+ 1)
        let odd = height > 1 ? lower(height, upperFirst ? doubled &+ 1 : doubled) : nil
        return (even, odd)
    }
}
