import AnalogVideoModel

/// A picture whose left half is grey and whose right half is a brighter red, to measure how far settings move colour.
package struct ColourEdge: Sendable {
    /// The difference of grey and red is so small that no stage of a preset clamps the picture.
    private static let grey: [UInt8] = [96, 96, 96, 255]
    private static let red: [UInt8] = [196, 96, 116, 255]

    private let picture: LookPicture

    /// Creates the picture; nil if it is smaller than 128x16 pixels.
    package init?(width: Int, height: Int) {
        guard width >= 128, height >= 16 else { return nil }
        var row: [UInt8] = []
        for x in 0..<width { row += x < width / 2 ? Self.grey : Self.red }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(row.count * height)
        for _ in 0..<height { bytes += row }
        guard let picture = LookPicture(width: width, height: height, bytes: bytes) else { return nil }
        self.picture = picture
    }

    /// Distance from the edge of luma to the edge of chroma, as a fraction of the width; positive to the right.
    ///
    /// An edge is the column at which half of the step is reached in a picture without noise. The result is nil if the
    /// picture has no colour, or if memory is refused.
    package func displacement(by settings: NTSCSettings) -> Double? {
        guard let played = picture.played(settings.withoutNoise, frame: 0) else { return nil }
        // The mean of an even number of rows of a field contains no carrier, because its phase alternates between rows.
        let rows = played.height / 4
        let columns = played.columns(of: rows..<(rows + (rows / 8) * 8))
        guard let luma = edge(in: columns.luma), let chroma = edge(in: columns.red) else { return nil }
        return (chroma - luma) / Double(played.width)
    }

    /// The column with its fraction at which half of the step is reached; nil if there is no step.
    private func edge(in columns: [Double]) -> Double? {
        let quarter = columns.count / 4
        let before = level(of: columns[quarter..<(quarter + 16)])
        let step = level(of: columns[(3 * quarter)..<(3 * quarter + 16)]) - before
        guard abs(step) > 4 else { return nil }
        var last = 0.0
        for x in (quarter + 16)..<(3 * quarter) {
            let reached = (columns[x] - before) / step
            if reached >= 0.5 { return Double(x) - (reached - 0.5) / (reached - last) }
            last = reached
        }
        return nil
    }

    private func level(of columns: ArraySlice<Double>) -> Double { columns.reduce(0, +) / Double(columns.count) }
}
