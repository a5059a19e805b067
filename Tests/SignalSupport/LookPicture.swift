import AnalogVideoModel
import AnalogVideoPlayer

/// A picture whose pixels have four bytes: red, green, blue and padding.
package struct LookPicture: Sendable {
    package let width: Int
    package let height: Int
    private var bytes: [UInt8]

    /// Creates a picture; nil if the number of bytes does not match the size.
    package init?(width: Int, height: Int, bytes: [UInt8]) {
        guard width > 0, height > 0, bytes.count == width * height * 4 else { return nil }
        self.width = width
        self.height = height
        self.bytes = bytes
    }

    /// The picture after the signal path; nil if memory is refused.
    package func played(_ settings: NTSCSettings, frame: UInt64) -> LookPicture? {
        guard let player = makePlayer(width: width, height: height) else { return nil }
        var picture = self
        var span = picture.bytes.mutableSpan
        let layout = PictureLayout(format: .rgbx, width: width, height: height, stride: width * 4)
        let isPlayed = player.play(
            &span, layout: layout, frame: frame, scan: .progressive, settings: settings, bands: 1,
            runner: SerialRunner())
        return isPlayed ? picture : nil
    }
}

// MARK: - Figures

extension LookPicture {
    private static let blockSide = 16

    private func component(_ index: Int, _ x: Int, _ y: Int) -> Double { Double(bytes[(y * width + x) * 4 + index]) }

    /// Luma of BT.601, in codes of 8 bits.
    private func luma(_ x: Int, _ y: Int) -> Double {
        0.299 * component(0, x, y) + 0.587 * component(1, x, y) + 0.114 * component(2, x, y)
    }

    /// Mean magnitude of chroma, √(Cb² + Cr²) of BT.601, in codes of 8 bits.
    ///
    /// Cb and Cr are means of 16x16 pixels, because the magnitude of a single pixel would also contain noise.
    package var meanChroma: Double {
        let (columns, rows) = (width / Self.blockSide, height / Self.blockSide)
        let sum = (0..<rows).reduce(0.0) { sum, row in
            (0..<columns).reduce(sum) { $0 + chroma(ofBlock: $1, row) }
        }
        return sum / Double(max(columns * rows, 1))
    }

    private func chroma(ofBlock column: Int, _ row: Int) -> Double {
        var (blue, red) = (0.0, 0.0)
        for y in (row * Self.blockSide)..<((row + 1) * Self.blockSide) {
            for x in (column * Self.blockSide)..<((column + 1) * Self.blockSide) {
                let luma = luma(x, y)
                blue += (component(2, x, y) - luma) / 1.772
                red += (component(0, x, y) - luma) / 1.402
            }
        }
        return (blue * blue + red * red).squareRoot() / Double(Self.blockSide * Self.blockSide)
    }

    /// The means over `rows` of luma and of the colour difference Cr, for each column, in codes of 8 bits.
    func columns(of rows: Range<Int>) -> (luma: [Double], red: [Double]) {
        var (lumas, reds) = ([Double](repeating: 0, count: width), [Double](repeating: 0, count: width))
        for y in rows {
            for x in 0..<width {
                let luma = luma(x, y)
                lumas[x] += luma / Double(rows.count)
                reds[x] += (component(0, x, y) - luma) / 1.402 / Double(rows.count)
            }
        }
        return (lumas, reds)
    }

    /// Root mean square of the differences of luma between horizontally neighbouring pixels, in codes of 8 bits.
    package var horizontalEdges: Double {
        var sum = 0.0
        for y in 0..<height {
            for x in 1..<max(width, 1) {
                let difference = luma(x, y) - luma(x - 1, y)
                sum += difference * difference
            }
        }
        return (sum / Double(max(height * (width - 1), 1))).squareRoot()
    }

    /// Mean square of the differences of red, green and blue to another picture of the same size.
    package func meanSquareDifference(to other: LookPicture) -> Double {
        var sum = 0
        for index in bytes.indices where index & 3 != 3 {
            let difference = Int(bytes[index]) - Int(other.bytes[index])
            sum += difference * difference
        }
        return Double(sum) / Double(width * height * 3)
    }
}
