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

    /// Moves the rows of a block; samples of the blanking are 0, and the end of a line follows on itself.
    ///
    /// `moved` is memory for a plane.
    func apply(
        to luma: inout Plane, _ chromaI: inout Plane, _ chromaQ: inout Plane, moved: inout Plane, firstRow: Int
    ) {
        var errors = PulseErrors()
        let places = PerRow<Place> { lane in place(ofRow: firstRow + lane, &errors) }
        move(&luma, &moved, places)
        guard field.hasColour else { return }
        move(&chromaI, &moved, places)
        move(&chromaQ, &moved, places)
    }

    /// Shift of a row to the right, less than a period.
    private struct Place {
        let whole: Int
        let fraction: Float
    }

    private func place(ofRow row: Int, _ errors: inout PulseErrors) -> Place {
        let line = field.line(ofRow: row)
        let phase = flywheel.phase(after: line, last: field.lineInField(ofRow: row), seeds, &errors)
        let shift = (phase < 0 ? phase + 1 : phase) * Double(period)
        let whole = shift.rounded(.down)
        let columns = Int(wholeNumber(Float(whole)))
        // A phase just below 0 is rounded to a whole period.
        return Place(whole: columns < period ? max(columns, 0) : 0, fraction: Float(shift - whole))
    }

    private func move(_ plane: inout Plane, _ moved: inout Plane, _ places: PerRow<Place>) {
        for lane in 0..<rowsPerBlock { move(plane.row(lane), to: moved.row(lane), places[lane]) }
        swap(&plane, &moved)
    }

    private func move(_ row: borrowing PlaneRow, to moved: borrowing PlaneRow, _ place: Place) {
        let width = min(row.count, moved.count)
        guard width > 0, width < period else { return }
        let (nearPart, farPart) = (1 - place.fraction, place.fraction)
        /// Column of the line that the first column shows.
        let first = place.whole == 0 ? 0 : period - place.whole
        var far = place.whole == 0 ? 0 : first - 1 < width ? row[first - 1] : 0
        var x = 0
        // The columns that show the end of the picture, then the blanking, then the begin of the picture.
        let ends = (max(0, min(width, width - first)), min(place.whole, width))
        while x < ends.0 {
            let near = unsafe row[unchecked: first &+ x]
            unsafe moved[unchecked: x] = near * nearPart + far * farPart
            far = near
            x &+= 1
        }
        while x < ends.1 {
            unsafe moved[unchecked: x] = far * farPart
            far = 0
            x &+= 1
        }
        while x < width {
            let near = unsafe row[unchecked: x &- place.whole]
            unsafe moved[unchecked: x] = near * nearPart + far * farPart
            far = near
            x &+= 1
        }
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
