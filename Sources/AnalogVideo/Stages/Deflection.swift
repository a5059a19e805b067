import AnalogVideoModel

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// An oscillator of the deflection, which synchronization pulses hold; see docs/NTSC.md, "Deflection".
struct Flywheel: Sendable {
    /// Distance of the free frequency from that of the pulses, relative to the largest that is held.
    private let detuning: Double
    /// Correction of the phase by a pulse, relative to its error.
    private let gain: Double
    /// Number of the last pulses that have an effect.
    private let memory: Int
    /// Probability that the separator takes noise for a pulse, and largest error of the other pulses in periods.
    private let (misfires, jitter): (Double, Double)
    /// Whether the oscillator is centred and no pulse has an error.
    let isSteady: Bool

    /// `noise` is relative to the pulses, and `edge` the duration of the edge of a pulse in periods.
    init(detuning: Float, gain: Double, memory: Int, noise: Double, edge: Double) {
        self.detuning = Double(detuning)
        self.gain = gain
        self.memory = memory
        // The separator reacts to half of the height of a pulse.
        let probability = noise > 0 ? 0.5 * erfc(0.5 / noise / 2.0.squareRoot()) : 0
        // Random numbers are multiples of 2⁻²³, so 0 is below any smaller probability, too.
        misfires = probability < 0x1p-24 ? 0 : probability
        // An equal distribution with the same standard deviation has √3 times that to each side.
        jitter = noise * edge * 3.0.squareRoot()
        isSteady = detuning == 0 && misfires <= 0 && jitter <= 0
    }

    /// Phase in periods, from -0.5 to below 0.5, after `count` periods, of which the last has the number `last`.
    ///
    /// `seeds` is the stream of the errors; the number of a pulse is its last item. `errors` has those of earlier calls with
    /// the same stream and a lower or equal `last`.
    func phase(after count: Double, last: Int, _ seeds: SeedHash, _ errors: inout PulseErrors) -> Double {
        var phase = steadyPhase(after: count)
        var weight = gain
        if misfires > 0 || jitter > 0 {
            for pulse in 0..<min(max(last &- (errors.last ?? last &- memory), 0), memory) {
                let number = last &- pulse
                errors.errors[number & 63] = error(seeds.adding(UInt64(bitPattern: Int64(number))).value)
            }
            errors.last = last
            for pulse in 0..<memory {
                phase += weight * errors.errors[(last &- pulse) & 63]
                weight *= 1 - gain
            }
        }
        return phase - (phase + 0.5).rounded(.down)
    }

    /// Adler's solution for pulses without errors.
    private func steadyPhase(after count: Double) -> Double {
        guard abs(detuning) > 1 else { return asin(detuning) / (2 * .pi) }
        let beat = (detuning * detuning - 1).squareRoot()
        return atan(1 / detuning + beat / detuning * tan(0.5 * beat * gain * count)) / .pi
    }

    /// Error of a pulse, in periods; the detector is a multiplier, so that of a misfire is a sine.
    private func error(_ hash: UInt64) -> Double {
        let place = Double(unitNumber(UInt32(truncatingIfNeeded: hash >> 32))) - 0.5
        guard Double(unitNumber(UInt32(truncatingIfNeeded: hash))) < misfires else { return 2 * jitter * place }
        return sin(2 * .pi * place) / (2 * .pi)
    }
}

/// Errors of the last pulses, at most 64, most of which the rows of a block share.
struct PulseErrors {
    fileprivate var errors = InlineArray<64, Double>(repeating: 0)
    fileprivate var last: Int?
}

/// Horizontal deflection: moves each row by the phase of the line oscillator.
struct Deflection: Sendable {
    private var field: FieldFacts
    private let flywheel: Flywheel
    /// Samples of a line, with those of the blanking.
    private let period: Int
    private var seeds: SeedHash

    init?(_ settings: NTSCSettings, _ field: FieldFacts) {
        let standard = field.standard
        flywheel = Flywheel(
            detuning: settings.horizontalHold, gain: 0.125, memory: 48, noise: Double(settings.syncNoise),
            edge: 0.5e-6 * standard.lineRate)
        guard !flywheel.isSteady else { return nil }
        self.field = field
        period = field.width + max(2, Int((Double(field.width) * standard.horizontalBlanking).rounded()))
        seeds = field.seeds(.lineSync)
    }

    mutating func begin(_ field: FieldFacts) {
        self.field = field
        seeds = field.seeds(.lineSync)
    }

    /// Number of columns of `line` in `apply`: as many as rows show, with the picture from column `margin` on.
    var lineWidth: Int { 2 * margin + field.width }

    /// Rows move by at most half of a period.
    private var margin: Int { period / 2 + 2 }

    /// Moves the rows of a block; samples of the blanking are 0, and the end of a line follows on itself.
    ///
    /// `line` is memory for `lineWidth` columns.
    func apply(
        to luma: inout Plane, _ chromaI: inout Plane, _ chromaQ: inout Plane, line: inout Plane, firstRow: Int
    ) {
        var errors = PulseErrors()
        var rows = SwayedRows()
        for lane in 0..<rowsPerBlock {
            let row = firstRow + lane
            let phase = flywheel.phase(
                after: field.line(ofRow: row), last: field.lineInField(ofRow: row), seeds, &errors)
            let shift = (phase < 0 ? phase + 1 : phase) * Double(period)
            let whole = shift.rounded(.down)
            let first = margin + (phase < 0 ? period : 0)
            rows.set(lane, whole: Int(wholeNumber(Float(whole))) - first, fraction: Float(shift - whole))
        }
        move(&luma, rows, &line)
        guard field.hasColour else { return }
        move(&chromaI, rows, &line)
        move(&chromaQ, rows, &line)
    }

    private func move(_ plane: inout Plane, _ rows: SwayedRows, _ line: inout Plane) {
        var columns = line.columns
        let shown = rows.inputColumns(of: columns.count, for: plane.readOnlyColumns.count)
        // The lines before and after have the same picture.
        for begin in stride(from: margin - period, to: shown.upperBound, by: period) {
            let end = begin + plane.readOnlyColumns.count
            for x in shown.clamped(to: begin..<end) { columns[x] = plane.readOnlyColumns[x - begin] }
            for x in shown.clamped(to: end..<(begin + period)) { columns[x] = Lanes(0) }
        }
        rows.apply(line, to: &plane)
    }
}

/// Vertical deflection: the rows that a field reads, moved by the phase of the field oscillator.
struct VerticalRoll: Sendable {
    private let flywheel: Flywheel
    private let rowCount: Int
    /// Rows of a field, with those of the blanking.
    private let period: Int
    private let seeds: SeedHash
    /// Number of rows by which the picture is moved down.
    private var offset: Int

    init?(_ settings: NTSCSettings, _ field: FieldFacts) {
        // The separator adds up six pulses, each six times as long as that of a line, so noise is six times weaker.
        let flywheel = Flywheel(
            detuning: settings.verticalHold, gain: 0.25, memory: 32, noise: Double(settings.syncNoise) / 6, edge: 0)
        guard !flywheel.isSteady else { return nil }
        self.flywheel = flywheel
        rowCount = field.rowCount
        period = rowCount + max(1, Int((Double(rowCount) * field.standard.verticalBlanking).rounded()))
        seeds = SeedHash(seed: field.seed, stage: .fieldSync)
        offset = 0
        begin(field)
    }

    mutating func begin(_ field: FieldFacts) {
        let last = Int(truncatingIfNeeded: field.frame)
        var errors = PulseErrors()
        let phase = flywheel.phase(after: Double(field.frame), last: last, seeds, &errors)
        offset = Int(wholeNumber(Float((phase * Double(period)).rounded())))
        if offset < 0 { offset += period }
    }

    /// Rows of the picture that the rows of a block show; a row of the blanking is missing.
    func rows(ofBlock block: Int, _ run: FieldRun) -> PictureRows {
        var rows = PictureRows()
        for lane in 0..<rowsPerBlock {
            let row = block * rowsPerBlock + lane
            guard row < rowCount else { continue }
            let source = row < offset ? row - offset + period : row - offset
            if source < rowCount { rows[lane] = run.firstRow + source * run.rowStep }
        }
        return rows
    }

    /// Clears the rows of a block that are missing in `rows`.
    func clear(_ luma: inout Plane, _ chromaI: inout Plane, _ chromaQ: inout Plane, missing rows: PictureRows) {
        for lane in 0..<rowsPerBlock where rows[lane] == nil {
            luma.clear(lane)
            chromaI.clear(lane)
            chromaQ.clear(lane)
        }
    }
}
