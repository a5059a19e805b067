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
        var coordinates = Lanes(start) + Lanes(0, 1, 2, 3, 4, 5, 6, 7)
        for _ in 0..<block { coordinates += Lanes(8) }
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
        if inside < insideEnd {
            var far = clamped(input, inside - 1)
            for x in inside..<insideEnd {
                let near = gathered(input, x)
                output[x] = near * nearPart + far * fraction
                far = near
            }
        }
        for x in insideEnd..<width { output[x] = clamped(input, x) * nearPart + clamped(input, x - 1) * fraction }
    }

    /// The samples that come to stand at column `x`; all of them must be inside the rows.
    @inline(__always)
    private func gathered(_ input: Span<Lanes>, _ x: Int) -> Lanes {
        // Eight bounds checks a column cost more than the loads; `apply` has checked the first and last column.
        unsafe Lanes(
            input[unchecked: x - whole[0]][0], input[unchecked: x - whole[1]][1],
            input[unchecked: x - whole[2]][2], input[unchecked: x - whole[3]][3],
            input[unchecked: x - whole[4]][4], input[unchecked: x - whole[5]][5],
            input[unchecked: x - whole[6]][6], input[unchecked: x - whole[7]][7])
    }

    private func clamped(_ input: Span<Lanes>, _ x: Int) -> Lanes {
        var column = Lanes(0)
        for lane in 0..<rowsPerBlock {
            column[lane] = input[min(max(x - whole[lane], 0), input.count - 1)][lane]
        }
        return column
    }
}
