/// Scan of one frame, according to caps and buffer flags.
public enum Scan: Sendable, Equatable {
    /// A progressive frame; `NTSCSettings.useField` selects its fields.
    case progressive
    /// A frame of two interleaved fields.
    case interlaced(topFieldFirst: Bool)
    /// One field in every second row of a frame; the other rows do not change.
    case oneField(isTop: Bool)
    /// One field with adjacent rows; `isSecond` is true for the later field of a buffer that has both fields.
    case separateField(isSecond: Bool, isTop: Bool)
}

/// Rows of one field, which are processed as one signal; see docs/NTSC.md, "Fields".
public struct FieldRun: Sendable, Equatable {
    /// Row of the picture that is row 0 of the field.
    public var firstRow: Int
    /// Distance between two rows of the field, in rows of the picture.
    public var rowStep: Int
    /// Number of rows of the field.
    public var rowCount: Int
    /// Frame number of the field, a part of most seeds; in interlaced modes it counts fields.
    public var frame: UInt64
    /// Whether the rows of the picture that are not in the field are interpolated.
    public var fillsOtherRows = false

    /// Runs of frame `frame` of a picture with `height` rows; the second run is nil if no second field has rows.
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
        case .upper: return (upper(height, frame, fills: true), nil)
        case .lower: return (lower(height, frame, fills: true), nil)
        case .alternating:
            let isLower = frame.isMultiple(of: 2)
            return (isLower ? lower(height, frame, fills: true) : upper(height, frame, fills: true), nil)
        case .interleavedUpper: return interleaved(height, frame, upperFirst: true)
        case .interleavedLower: return interleaved(height, frame, upperFirst: false)
        }
    }

    private static func upper(_ height: Int, _ frame: UInt64, fills: Bool = false) -> FieldRun {
        FieldRun(firstRow: 0, rowStep: 2, rowCount: (height + 1) / 2, frame: frame, fillsOtherRows: fills)
    }

    /// The lower field, which is the only row in a picture of one row.
    private static func lower(_ height: Int, _ frame: UInt64, fills: Bool = false) -> FieldRun {
        FieldRun(
            firstRow: height == 1 ? 0 : 1, rowStep: 2, rowCount: height > 1 ? height / 2 : height, frame: frame,
            fillsOtherRows: fills)
    }

    private static func interleaved(_ height: Int, _ frame: UInt64, upperFirst: Bool) -> (FieldRun, FieldRun?) {
        let doubled = frame &* 2
        let even = upper(height, upperFirst ? doubled : doubled &+ 1)
        let odd = height > 1 ? lower(height, upperFirst ? doubled &+ 1 : doubled) : nil
        return (even, odd)
    }
}
