import AnalogVideoModel

/// Rows that sway sideways, neighbouring rows alike, slowly from frame to frame.
struct EdgeWave: Sendable {
    private let seed: Int32
    private let start: Float
    private let time: Float
    private let frequency: Float
    private let octaveCount: Int32
    private let amount: Float
    private let horizontalScale: Float

    init?(_ settings: NTSCSettings, _ field: FieldFacts) {
        guard settings.vhsSettings, settings.vhsEdgeWaveEnabled, settings.vhsEdgeWave > 0 else { return nil }
        // The frame is a coordinate here and not part of the seed, so that the wave moves on.
        let seeds = SeedHash(seed: field.seed, stage: .edgeWave)
        seed = seeds.adding(0 as Int32).int32
        start = seeds.adding(1 as Int32).unitFloat * Float(field.rowCount)
        time = Float(field.frame) * settings.vhsEdgeWaveSpeed
        frequency = settings.vhsEdgeWaveFrequency / field.verticalScale
        octaveCount = min(max(settings.vhsEdgeWaveDetail, 1), 5)
        amount = settings.vhsEdgeWave
        horizontalScale = field.horizontalScale
    }

    /// How far each of eight rows sways.
    func shifts(block: Int) -> SwayedRows {
        let coordinates = noiseCoordinates(from: start, eight: block)
        var rows = SwayedRows()
        for lane in 0..<rowsPerBlock {
            let shift = (wave(coordinates[lane]) / 0.022) * amount * 0.5 * horizontalScale
            rows.set(lane, to: RowShift(shift))
        }
        return rows
    }

    private func wave(_ coordinate: Float) -> Float {
        let gain: Float = 0.70710677
        var x = coordinate * frequency
        var y = time * frequency
        var sum = simplexNoise(x, y, seed: seed)
        var amplitude = gain
        for _ in 1..<max(octaveCount, 1) {
            x *= 2
            y *= 2
            sum = sum.addingProduct(simplexNoise(x, y, seed: seed), amplitude)
            amplitude *= gain
        }
        return sum
    }
}

/// A shift for each of eight rows, applied to all at once.
struct SwayedRows: Sendable {
    private var whole = SIMD8<Int>(repeating: 0)
    private var fraction = Lanes(0)

    mutating func set(_ lane: Int, to shift: RowShift) {
        whole[lane] = shift.whole
        fraction[lane] = shift.fraction
    }

    /// Fills `output` with the shifted rows; the outermost pixel of a row is repeated where the row has ended.
    func apply(_ plane: borrowing Plane, to shifted: inout Plane) {
        let input = plane.readOnlyColumns
        var output = shifted.columns
        let width = input.count
        guard width > 0, output.count == width else { return }
        let nearPart = Lanes(1) - fraction
        // Where all eight rows are inside, no column needs a look at the edges.
        let inside = min(max(0, whole.max() + 1), width)
        let insideEnd = max(inside, min(width, width + whole.min()))
        for x in 0..<inside { output[x] = clamped(input, x) * nearPart + clamped(input, x - 1) * fraction }
        if inside < insideEnd { applyInside(input, to: &output, inside..<insideEnd) }
        for x in insideEnd..<width { output[x] = clamped(input, x) * nearPart + clamped(input, x - 1) * fraction }
    }

    /// The columns for which all eight rows, and the samples to their left, lie inside.
    private func applyInside(_ input: Span<Lanes>, to output: inout MutableSpan<Lanes>, _ columns: Range<Int>) {
        // Eight bounds checks and address sums a column cost more than the loads: 1.2 against 0.7 ns a pixel.
        let size = MemoryLayout<Float>.size
        let offsets = InlineArray<8, Int> { (($0 - whole[$0] * rowsPerBlock) * size) }
        let (o0, o1, o2, o3) = (offsets[0], offsets[1], offsets[2], offsets[3])
        let (o4, o5, o6, o7) = (offsets[4], offsets[5], offsets[6], offsets[7])
        let nearPart = Lanes(1) - fraction
        var far = clamped(input, columns.lowerBound - 1)
        unsafe input.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            for x in columns {
                let column = unsafe base + (x * MemoryLayout<Lanes>.stride)
                let near = unsafe Lanes(
                    column.load(fromByteOffset: o0, as: Float.self), column.load(fromByteOffset: o1, as: Float.self),
                    column.load(fromByteOffset: o2, as: Float.self), column.load(fromByteOffset: o3, as: Float.self),
                    column.load(fromByteOffset: o4, as: Float.self), column.load(fromByteOffset: o5, as: Float.self),
                    column.load(fromByteOffset: o6, as: Float.self), column.load(fromByteOffset: o7, as: Float.self))
                output[x] = near * nearPart + far * fraction
                far = near
            }
        }
    }

    private func clamped(_ input: Span<Lanes>, _ x: Int) -> Lanes {
        var column = Lanes(0)
        for lane in 0..<rowsPerBlock {
            column[lane] = input[min(max(x - whole[lane], 0), input.count - 1)][lane]
        }
        return column
    }
}
