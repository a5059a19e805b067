import AnalogVideoModel

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Gradient noise along each row; each row has its own seed.
///
/// See docs/NTSC.md, "Noise along a row". Three stages use it: docs/NTSC.md, "Composite noise",
/// docs/NTSC.md, "Luma noise" and docs/NTSC.md, "Chroma noise".
struct RowNoise: Sendable {
    private var seeds: SeedHash
    private let width: Float
    private let frequency: Float
    private let octaveCount: Int32
    private let amount: Float
    /// `PeriodicNoise` for each octave whose frequency it supports, otherwise nil.
    private let periods: InlineArray<5, PeriodicNoise?>

    /// `frequency` is in lattice cells per sample, before horizontal scaling.
    ///
    /// Not inlined, because a signal path calls the initializer four times.
    @inline(never)
    init?(
        _ stage: NoiseStage, _ field: FieldFacts, isOn: Bool, intensity: Float, frequency: Float, detail: Int32
    ) {
        guard isOn, intensity > 0 else { return nil }
        self.init(seeds: field.seeds(stage), field, intensity: intensity, frequency: frequency, detail: detail)
    }

    /// Sets the frame of the field; `stage` must be the stage of the initializer.
    mutating func begin(_ stage: NoiseStage, _ field: FieldFacts) { seeds = field.seeds(stage) }

    /// The noise of a later recording; `stage` must be the stage of the initializer.
    func inGeneration(_ generation: Int, _ stage: NoiseStage, _ field: FieldFacts) -> RowNoise {
        var later = self
        later.begin(stage, field.inGeneration(generation))
        return later
    }

    init(seeds: SeedHash, _ field: FieldFacts, intensity: Float, frequency: Float, detail: Int32) {
        self.seeds = seeds
        width = Float(field.width)
        self.frequency = frequency / field.horizontalScale
        octaveCount = min(max(detail, 1), 5)
        amount = intensity * 0.25
        let (finest, columns, count) = (self.frequency, field.width, Int(octaveCount))
        periods = InlineArray { octave in
            octave < count ? PeriodicNoise(frequency: finest * Float(1 << octave), width: columns) : nil
        }
    }

    private func rows(
        from firstRow: Int, _ others: SeedHash? = nil, where isOwn: Block<Int32> = Block(repeating: -1)
    ) -> (seed: LaneBits, start: Lanes) {
        var seed = LaneBits(repeating: 0)
        var start = Lanes(0)
        for lane in 0..<rowsPerBlock {
            let seeds = isOwn[lane] == 0 ? others ?? self.seeds : self.seeds
            var generator = Generator(seeds.adding(UInt64(bitPattern: Int64(firstRow + lane))))
            seed[lane] = generator.nextUInt32()
            start[lane] = generator.nextFloat() * width
        }
        return (seed, start)
    }

    /// Whether a sweep can add the noise.
    ///
    /// On Arm none can: the filters of a sweep take all registers, and to add the noise in a loop of its own takes
    /// fewer instructions than to move it between registers and memory.
    var isSwept: Bool {
        #if arch(arm64)
            false
        #else
            octaveCount == 1 && periods[0]?.hasTwoColumnsPerCell == true
        #endif
    }

    /// Noise of a block of rows for a sweep; nil if it must be added after the sweep.
    func swept(firstRow: Int) -> TwoColumnNoise? {
        guard isSwept, let noise = periods[0] else { return nil }
        let (seed, start) = rows(from: firstRow)
        return noise.swept(seed: seed, start: start, amount: Lanes(amount))
    }

    /// Adds noise to a block of rows; the number of a row is part of its seed, and `memory` is `Workspace.weights`.
    func add(to plane: inout Plane, firstRow: Int, memory: inout Plane) {
        add(to: &plane, rows(from: firstRow), memory: &memory)
    }

    /// Adds this noise to the rows of a block where `isOwn` is -1, and `other`, which differs only in its seeds, where 0.
    func add(to plane: inout Plane, where isOwn: Block<Int32>, or other: RowNoise, firstRow: Int, memory: inout Plane) {
        add(to: &plane, rows(from: firstRow, other.seeds, where: isOwn), memory: &memory)
    }

    private func add(to plane: inout Plane, _ rows: (seed: LaneBits, start: Lanes), memory: inout Plane) {
        let (seed, start) = rows
        var octave = 0
        while octave < Int(octaveCount) {
            defer { octave += 1 }
            let frequency = frequency * Float(1 << octave)
            if let noise = periods[octave] {
                if octave + 1 < Int(octaveCount), let finer = periods[octave + 1] {
                    noise.add(
                        with: finer, to: &plane, seed: seed, start: start, amount: Lanes(amount), memory: &memory)
                    octave += 1
                } else {
                    noise.add(to: &plane, seed: seed, start: start, amount: Lanes(amount), memory: &memory)
                }
            } else if let noise = LatticeWalk(frequency: frequency) {
                noise.add(to: &plane, seed: seed, start: start, amount: Lanes(amount))
            } else {
                // Neither algorithm supports this frequency, nor the higher frequencies of the following octaves.
                return add(octaveCount - Int32(octave), frequency, to: &plane, seed, start)
            }
        }
    }

    private func add(
        _ octaveCount: Int32, _ frequency: Float, to plane: inout Plane, _ seed: LaneBits, _ start: Lanes
    ) {
        var columns = plane.columns
        let frequency = Lanes(frequency)
        let amount = Lanes(amount)
        var coordinates = ColumnCoordinates(start)
        for x in columns.indices {
            columns[x] += octaves(octaveCount, of: coordinates.next(x), frequency: frequency, seed: seed) * amount
        }
    }

    /// Adds noise to one row, with the generator of the row.
    func add(to plane: inout Plane, lane: Int, generator: inout Generator) {
        let row = plane.row(lane)
        let seed = LaneBits(repeating: generator.nextUInt32())
        let start = generator.nextFloat() * width
        var coordinates = SampleCoordinates(from: start)
        for first in stride(from: 0, to: row.count, by: rowsPerBlock) {
            let noise =
                octaves(octaveCount, of: coordinates.current, frequency: Lanes(frequency), seed: seed) * Lanes(amount)
            if first + rowsPerBlock <= row.count {
                // A lane whose number the compiler knows is not read from memory.
                for lane in 0..<rowsPerBlock { unsafe row[unchecked: first &+ lane] += noise[lane] }
            } else {
                for x in first..<row.count { row[x] += noise[x - first] }
            }
            coordinates.advance()
        }
    }
}

/// Gradient noise along rows, for any frequency below 0.95 lattice cells per column.
///
/// The slopes are computed once per cell, as in `PeriodicNoise`; their factors are computed for each sample.
struct LatticeWalk: Sendable {
    /// Lattice cells per column.
    private let frequency: Float

    /// Returns nil if neighbouring columns can be a cell or more apart, or if the frequency is nearly 0.
    init?(frequency: Float) {
        // With the lower limit, each cell ends within 10⁶ columns, which is more than the width of any picture.
        guard frequency > 1e-6, frequency < 0.95 else { return nil }
        self.frequency = frequency
    }

    /// Adds `amount` times the noise of rows that begin at the coordinates `start`.
    func add(to plane: inout Plane, seed: LaneBits, start: Lanes, amount: Lanes) {
        var columns = plane.columns
        var coordinates = ColumnCoordinates(start)
        let (frequency, seed) = (Lanes(frequency), hashSeed(seed))
        // A cell for each row. At each column of the inner loop, a row is in this cell or in the next one.
        var cell = floor(start * frequency)
        var index = wholeBits(cell) &+ LaneBits(repeating: 2)
        var first = latticeSlope(index &- LaneBits(repeating: 2), seed)
        var second = latticeSlope(index &- LaneBits(repeating: 1), seed)
        var third = latticeSlope(index, seed)
        var x = 0
        var cellsPassed = 1.0
        while x < columns.count {
            // At `end` the last row enters its next cell. Rounding can move `end` by a column. The sample in that
            // column is so near to a lattice point that its slopes contribute almost nothing.
            let end = min(columns.count, Int((cellsPassed / Double(self.frequency)).rounded(.up)))
            while x < end {
                let place = coordinates.next(x) * frequency
                let placeCell = floor(place)
                let isInNext = placeCell .> cell
                let parts = slopeParts(at: place - placeCell)
                let left = first.replacing(with: second, where: isInNext)
                let right = second.replacing(with: third, where: isInNext)
                columns[x] += fma(parts.left, left, parts.right * right) * amount
                x &+= 1
            }
            cellsPassed += 1
            cell += Lanes(1)
            index = index &+ LaneBits(repeating: 1)
            (first, second, third) = (second, third, latticeSlope(index, seed))
        }
    }
}
