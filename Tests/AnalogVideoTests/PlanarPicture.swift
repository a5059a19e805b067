import AnalogVideoModel
import AnalogVideoPlayer
import SignalSupport
import Testing

/// A picture of any format with a test pattern, stored as an array for each plane.
struct PlanarPicture: Equatable {
    let format: PixelFormat
    let width: Int
    let height: Int
    var colour = ColourCoding.bt601
    /// Number of padding bytes after each row.
    var gap = 0
    var isUpsideDown = false
    var planes: [[UInt8]]

    static let padding: UInt8 = 0xA5

    init(_ format: PixelFormat, _ width: Int, _ height: Int, gap: Int = 0, isUpsideDown: Bool = false) {
        self.format = format
        self.width = width
        self.height = height
        self.gap = gap
        self.isUpsideDown = isUpsideDown
        planes = []
        for plane in 0..<3 {
            let (rows, rowBytes) = (format.rows(ofPlane: plane, height: height), rowBytes(plane))
            var bytes = [UInt8](repeating: Self.padding, count: rows * (rowBytes + gap))
            planes.append([])
            for row in 0..<rows {
                for x in 0..<rowBytes { bytes[start(plane, row) + x] = pattern(plane, row, x) }
            }
            planes[plane] = bytes
        }
    }

    /// A sample of the test pattern, which has gradients in both directions and some edges.
    private func pattern(_ plane: Int, _ row: Int, _ x: Int) -> UInt8 {
        if format == .p010 || format == .i420Of10 {
            let number = UInt16(((x / 2) * 9 + row * 5 + plane * 300) % 1000) << (format == .p010 ? 6 : 0)
            return UInt8(truncatingIfNeeded: x & 1 == 0 ? number : number >> 8)
        }
        return UInt8(((x * 3) ^ (row >> 3)) % 200 + 20 + plane)
    }

    func rowBytes(_ plane: Int) -> Int { format.rowBytes(ofPlane: plane, width: width) ?? 0 }

    private func start(_ plane: Int, _ row: Int) -> Int {
        let rows = format.rows(ofPlane: plane, height: height)
        return (isUpsideDown ? rows - 1 - row : row) * (rowBytes(plane) + gap)
    }

    /// The bytes of the picture without padding, row by row.
    var rows: [[UInt8]] {
        (0..<3).flatMap { plane in
            (0..<format.rows(ofPlane: plane, height: height)).map { row in
                Array(planes[plane][start(plane, row)...].prefix(rowBytes(plane)))
            }
        }
    }

    /// The padding bytes.
    var rest: [UInt8] {
        (0..<3).flatMap { plane in
            (0..<format.rows(ofPlane: plane, height: height)).flatMap { row in
                planes[plane][(start(plane, row) + rowBytes(plane))...].prefix(gap)
            }
        }
    }

    var layout: PictureLayout {
        PictureLayout(
            format: format, width: width, height: height,
            planes: InlineArray { plane in
                let stride = rowBytes(plane) + gap
                return PlaneLayout(
                    firstRow: planes[plane].isEmpty ? 0 : start(plane, 0), stride: isUpsideDown ? -stride : stride)
            }, colour: colour)
    }

    /// The picture after the signal path.
    func played(
        _ settings: NTSCSettings, _ variant: PlayerVariant = .best, bands: Int = 1,
        _ runner: any BandRunner = SerialRunner(), scan: Scan = .progressive, frame: UInt64 = 9,
        probe: StageProbe? = nil
    ) -> PlanarPicture {
        var picture = self
        guard let player = makePlayer(width: width, height: height, variant: variant, probe: probe) else {
            Issue.record("no player")
            return self
        }
        player.reserve(bands: bands)
        let layout = layout
        var (first, second, third) = (planes[0], planes[1], planes[2])
        var span = first.mutableSpan
        var span1 = second.mutableSpan
        var span2 = third.mutableSpan
        let isPlayed = player.play(
            &span, &span1, &span2, layout: layout, frame: frame, scan: scan, settings: settings, bands: bands,
            runner: runner)
        #expect(isPlayed)
        picture.planes = [first, second, third]
        return picture
    }
}
