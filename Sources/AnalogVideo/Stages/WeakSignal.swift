import AnalogVideoModel

/// Noise of a weak signal behind a synchronous detector, a clamp and an automatic gain control.
///
/// See docs/NTSC.md, "Snow".
struct WeakSignal: Sendable {
    private var seeds: SeedHash
    /// Part of the signal in the output of the gain control.
    private let signal: Float
    /// Factor of noise with a standard deviation of 1.
    private let amount: Float
    private let bandLimit: Filter
    /// Part of chroma that the colour killer leaves.
    let colour: Float
    /// Number of samples before the row that the clamp reads.
    private let porch: Int

    init?(_ settings: NTSCSettings, _ field: FieldFacts) {
        guard settings.snowModel == .reception, settings.snowIntensity > 0, field.horizontalScale > 0 else {
            return nil
        }
        seeds = field.seeds(.snow)
        let part = min(settings.snowIntensity * 0.01, 1)
        signal = 1 - part
        let (bandwidth, rate) = (field.standard.videoBandwidth, field.sampleRate)
        let deviation = part / (3 * field.standard.modulationDepth)
        // Near half the sample rate the filter would have no effect, and its poles would be near the unit circle.
        let isLimited = bandwidth < 0.45 * rate
        bandLimit = isLimited ? .butterworth(cutoff: bandwidth, rate: rate) : .identity
        amount = isLimited ? deviation * (rate / (2 * bandwidth)).squareRoot() : deviation
        porch = max(1, Int(wholeNumber((64 * field.horizontalScale).rounded(.toNearestOrAwayFromZero))))
        // The burst, a mark of NTSC and PAL, is weaker than its noise.
        colour = field.standard == .secam ? 1 : min(max((0.75 - part) * 4, 0), 1)
    }

    mutating func begin(_ field: FieldFacts) { seeds = field.seeds(.snow) }

    /// Weakens a block of rows and adds noise.
    func apply(to plane: inout Plane, firstRow: Int) {
        let seed = hashSeed(
            LaneBits { UInt32(truncatingIfNeeded: seeds.adding(UInt64(firstRow + $0)).value) })
        let (signal, amount) = (Lanes(signal), Lanes(amount))
        var filter = SecondOrder(bandLimit)
        var sum = Lanes(0)
        for x in 0..<porch { sum += filter.step(whiteNoise(x, seed) * amount) }
        let black = sum * Lanes(1 / Float(porch))
        let count = plane.readOnlyColumns.count
        unsafe Columns.replace(plane.start, count) { column, x in
            fma(signal, column, filter.step(whiteNoise(porch &+ x, seed) * amount) - black)
        }
    }

    /// Weakens decoded chroma, as the colour killer does.
    func killColour(_ chromaI: inout Plane, _ chromaQ: inout Plane) {
        guard colour < 1 else { return }
        unsafe Columns.replace(chromaI.start, chromaI.readOnlyColumns.count) { column, _ in column * Lanes(colour) }
        unsafe Columns.replace(chromaQ.start, chromaQ.readOnlyColumns.count) { column, _ in column * Lanes(colour) }
    }
}

/// Noise with a standard deviation of 1 in a column: the sum of the bytes of its hash.
///
/// The sum of four equal distributions differs little from a normal distribution.
@inline(__always)
private func whiteNoise(_ x: Int, _ seed: LaneBits) -> Lanes {
    let hash = latticeHash(LaneBits(repeating: UInt32(truncatingIfNeeded: x)), seed)
    let pairs = LaneBits(repeating: 0x00FF_00FF)
    let sums = (hash & pairs) &+ ((hash &>> LaneBits(repeating: 8)) & pairs)
    let sum = (sums & LaneBits(repeating: 0xFFFF)) &+ (sums &>> LaneBits(repeating: 16))
    // The mean is 510, and the deviation is the square root of (256² - 1) / 3.
    let scale: Float = 1 / 147.8
    return (float(sum) - Lanes(510)) * Lanes(scale)
}
