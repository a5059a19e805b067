/// Position of the rows of one plane in memory.
public struct PlaneLayout: Sendable, Equatable {
    /// Offset of the first row, in bytes.
    public var firstRow: Int
    /// Distance between two rows, in bytes; negative if the rows are stored bottom-up.
    public var stride: Int

    /// Creates a layout from its parts.
    public init(firstRow: Int = 0, stride: Int) {
        self.firstRow = firstRow
        self.stride = stride
    }

    /// Layout of a plane that the format does not have.
    public static let none = PlaneLayout(stride: 0)

    /// Whether `rows` rows of `rowBytes` bytes are inside `byteCount` bytes and do not overlap.
    func fits(_ rows: Int, of rowBytes: Int, in byteCount: Int) -> Bool {
        let distance = stride.multipliedReportingOverflow(by: rows - 1)
        let lastRow = firstRow.addingReportingOverflow(distance.partialValue)
        let end = max(firstRow, lastRow.partialValue).addingReportingOverflow(rowBytes)
        guard !distance.overflow, !lastRow.overflow, !end.overflow else { return false }
        guard rows == 1 || stride.magnitude >= rowBytes else { return false }
        return min(firstRow, lastRow.partialValue) >= 0 && end.partialValue <= byteCount
    }
}

/// Format, size, position in memory and colorimetry of a picture.
public struct PictureLayout: Sendable {
    /// Format of the pixels.
    public var format: PixelFormat
    /// Width in pixels.
    public var width: Int
    /// Number of rows in the buffer, which are the rows of one field if the buffer has one field.
    public var height: Int
    /// Position of each plane; `PlaneLayout.none` for a missing plane.
    public var planes: InlineArray<3, PlaneLayout>
    /// Colorimetry, for Y'CbCr formats.
    public var colour: ColourCoding

    /// Creates a layout from its parts.
    public init(
        format: PixelFormat, width: Int, height: Int, planes: InlineArray<3, PlaneLayout>,
        colour: ColourCoding = .bt601
    ) {
        self.format = format
        self.width = width
        self.height = height
        self.planes = planes
        self.colour = colour
    }

    /// Whether the rows of each plane are inside the given numbers of bytes and do not overlap.
    public func fits(in byteCounts: InlineArray<3, Int>) -> Bool {
        guard width > 0, height > 0 else { return false }
        for plane in 0..<format.planeCount {
            guard let rowBytes = format.rowBytes(ofPlane: plane, width: width),
                planes[plane].fits(format.rows(ofPlane: plane, height: height), of: rowBytes, in: byteCounts[plane])
            else { return false }
        }
        return true
    }
}
