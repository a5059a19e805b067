import AnalogVideoModel

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Rotates the phase of the demodulated carrier by one angle; see docs/NTSC.md, "Chroma phase error".
struct ChromaPhaseError: Sendable {
    private let turns: Float

    init?(_ settings: NTSCSettings, _ field: FieldFacts) {
        // The frequency of the carrier, which SECAM decodes, does not depend on its phase.
        guard settings.chromaPhaseError > 0, field.hasColour, field.standard != .secam else { return nil }
        turns = settings.chromaPhaseError
    }

    /// `signs` are those of the component on plane I, which are also those of the rotation.
    func apply(to chromaI: inout Plane, _ chromaQ: inout Plane, signs: Lanes) {
        rotate(&chromaI, &chromaQ, turns: signs * Lanes(turns))
    }
}

/// Rotates the hue of each row by a random angle; see docs/NTSC.md, "Chroma phase noise".
struct ChromaPhaseNoise: Sendable {
    private let intensity: Float
    private var seeds: SeedHash

    init?(_ settings: NTSCSettings, _ field: FieldFacts) {
        guard settings.chromaPhaseNoiseIntensity > 0, field.hasColour, field.standard != .secam else { return nil }
        intensity = settings.chromaPhaseNoiseIntensity
        seeds = field.seeds(.chromaPhase)
    }

    mutating func begin(_ field: FieldFacts) { seeds = field.seeds(.chromaPhase) }

    func apply(to chromaI: inout Plane, _ chromaQ: inout Plane, firstRow: Int) {
        var turns = Lanes(0)
        for lane in 0..<rowsPerBlock {
            let chance = seeds.adding(UInt64(bitPattern: Int64(firstRow + lane))).unitFloat
            turns[lane] = ((chance - 0.5) * 2) * intensity
        }
        rotate(&chromaI, &chromaQ, turns: turns)
    }
}

private func rotate(_ planeI: inout Plane, _ planeQ: inout Plane, turns: Lanes) {
    var cosine = Lanes(0)
    var sine = Lanes(0)
    for lane in 0..<rowsPerBlock {
        let angle = turns[lane] * pi * 2
        cosine[lane] = cosf(angle)
        sine[lane] = sinf(angle)
    }
    let (startI, startQ) = unsafe (planeI.start, planeQ.start)
    var chromaI = planeI.columns
    var chromaQ = planeQ.columns
    guard chromaI.count == chromaQ.count else { return }
    let whole = Columns.whole(chromaI.count)
    var x = 0
    while x < whole {
        var (i, q) = unsafe (Columns(startI + x), Columns(startQ + x))
        Columns.forEach { (i[$0], q[$0]) = rotated(i[$0], q[$0], cosine, sine) }
        unsafe i.store(to: startI + x)
        unsafe q.store(to: startQ + x)
        x &+= Columns.count
    }
    for x in whole..<chromaI.count {
        (chromaI[x], chromaQ[x]) = rotated(chromaI[x], chromaQ[x], cosine, sine)
    }
}

@inline(__always)
private func rotated(_ i: Lanes, _ q: Lanes, _ cosine: Lanes, _ sine: Lanes) -> (Lanes, Lanes) {
    (i * cosine - q * sine, i * sine + q * cosine)
}
