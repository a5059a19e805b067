import AnalogVideoModel
import CLanes

/// Modulates the frequency of the colour carrier of SECAM by one chroma component of each row.
///
/// The carrier is the phasor I - jQ, which turns relative to a quarter of the sample rate; the next stage modulates its
/// parts as in NTSC. The code computes the conjugate, I + jQ. See docs/NTSC.md, "Frequency modulation".
struct FrequencyModulation: Sendable {
    private let emphasis: Filter

    init?(_ field: FieldFacts) {
        guard field.standard == .secam, field.hasColour else { return nil }
        emphasis = .emphasis(rate: field.sampleRate)
    }

    /// Replaces Dr and Db, of which a row transmits one, by the carrier; `isRed` is -1 in rows that transmit Dr.
    ///
    /// With `limit`, first limits the bandwidth of the component, which gives the same bits as the stage of its own.
    func apply(
        to planeI: inout Plane, _ planeQ: inout Plane, isRed: Block<Int32>, limitedBy limit: ChromaBandLimit? = nil
    ) {
        // The filters of Dr and Db are equal, so one filter suffices.
        switch limit?.kernel {
        case .second?: modulate(SecondOrder.self, limit, &planeI, &planeQ, isRed)
        case .third?: modulate(ThirdOrder.self, limit, &planeI, &planeQ, isRed)
        default:
            limit?.apply(to: &planeI, &planeQ)
            modulate(PassThrough.self, nil, &planeI, &planeQ, isRed)
        }
    }

    @inline(__always)
    private func modulate<Limit: RunningFilter>(
        _: Limit.Type, _ limit: ChromaBandLimit?, _ planeI: inout Plane, _ planeQ: inout Plane, _ isRed: Block<Int32>
    ) {
        let band = SECAMBand(isRed)
        let (lowest, highest) = (SECAMBand.lowest, SECAMBand.highest)
        let bell = BellFilter(ofReceiver: false)
        var limiting = Limit(limit?.filterI ?? .identity)
        let delay = limit?.delayI ?? 0
        var emphasis = FirstOrder(emphasis)
        var (real, imaginary) = (bell.gain, Lanes(0))
        var (lastReal, lastImaginary, outReal, outImaginary) = (Lanes(0), Lanes(0), Lanes(0), Lanes(0))
        var chromaI = planeI.columns
        var chromaQ = planeQ.columns
        let last = chromaI.count - 1
        guard last >= 0, chromaQ.count == chromaI.count else { return }
        for x in 0..<delay {
            _ = limiting.step(select(isRed, chromaI[min(x, last)], chromaQ[min(x, last)]))
        }
        for x in chromaI.indices {
            let source = min(x &+ delay, last)
            let signal = emphasis.step(limiting.step(select(isRed, chromaI[source], chromaQ[source])))
            let deviated = fma(signal, band.deviation, band.centre)
            let turn = clanes_larger(clanes_smaller(deviated, highest), lowest)
            // Sine and cosine by their series; the magnitude of the angle is less than 0.2.
            let square = turn * turn
            let sine = turn * fma(square, fma(square, Lanes(1.0 / 120), Lanes(-1.0 / 6)), Lanes(1))
            let cosine = fma(square, fma(square, Lanes(1.0 / 24), Lanes(-0.5)), Lanes(1))
            (real, imaginary) = (
                fma(real, cosine, imaginary * sine), fma(imaginary, cosine, -(real * sine))
            )
            // Only the last two operations depend on the last output.
            let feedReal = fma(bell.zeroReal, lastReal, fma(bell.minusZeroImaginary, lastImaginary, real))
            let feedImaginary = fma(bell.zeroImaginary, lastReal, fma(bell.zeroReal, lastImaginary, imaginary))
            (outReal, outImaginary) = (
                fma(bell.poleReal, outReal, fma(bell.minusPoleImaginary, outImaginary, feedReal)),
                fma(bell.poleReal, outImaginary, fma(bell.poleImaginary, outReal, feedImaginary))
            )
            (lastReal, lastImaginary) = (real, imaginary)
            (chromaI[x], chromaQ[x]) = (outReal, outImaginary)
        }
    }
}

/// Recovers the chroma component of each row of SECAM from the frequency of its carrier.
///
/// A resonant filter selects the carrier, a limiter removes its amplitude, and a discriminator measures its frequency.
/// If noise is stronger than the carrier, the phase turns at random, and the de-emphasis draws the errors out to
/// streaks. See docs/NTSC.md, "Discriminator".
struct Discriminator: Sendable {
    private let deemphasis: Filter

    init?(_ field: FieldFacts) {
        guard field.standard == .secam, field.hasColour else { return nil }
        deemphasis = .deemphasis(rate: field.sampleRate)
    }

    /// Replaces the carrier by the component that a row transmits, on plane I; `DelayLine` makes plane Q of it.
    func apply(to planeI: inout Plane, _ planeQ: borrowing Plane, isRed: Block<Int32>) {
        let band = SECAMBand(isRed)
        let bell = BellFilter(ofReceiver: true)
        var deemphasis = FirstOrder(deemphasis)
        var (inputReal, inputImaginary) = (Lanes(0), Lanes(0))
        var (lastReal, lastImaginary, lastPower) = (Lanes(0), Lanes(0), Lanes(0))
        let smallest = Lanes(1e-6) / (bell.gain * bell.gain)
        var chromaI = planeI.columns
        let chromaQ = planeQ.readOnlyColumns
        guard chromaI.count == chromaQ.count else { return }
        for x in chromaI.indices {
            let (nextReal, nextImaginary) = (chromaI[x], chromaQ[x])
            // Only the last two operations depend on the last output. The limiter makes the gain of the filter irrelevant.
            let feedReal = fma(
                bell.zeroReal, inputReal, fma(bell.minusZeroImaginary, inputImaginary, nextReal))
            let feedImaginary = fma(
                bell.zeroImaginary, inputReal, fma(bell.zeroReal, inputImaginary, nextImaginary))
            let real = fma(bell.poleReal, lastReal, fma(bell.minusPoleImaginary, lastImaginary, feedReal))
            let imaginary = fma(bell.poleReal, lastImaginary, fma(bell.poleImaginary, lastReal, feedImaginary))
            // The last sample, turned as a carrier at rest turns; the remaining angle is the deviation.
            let turnedReal = fma(lastReal, band.cosine, lastImaginary * band.sine)
            let turnedImaginary = fma(lastImaginary, band.cosine, -(lastReal * band.sine))
            let cross = fma(real, turnedImaginary, -(imaginary * turnedReal))
            let power = fma(real, real, imaginary * imaginary)
            let halfSine = clanes_divide(cross, power + lastPower + smallest)
            // The arc sine by its series, divided by the deviation.
            let deviated = halfSine * fma(halfSine * halfSine, band.cubeFactor, band.sineFactor)
            chromaI[x] = deemphasis.step(deviated)
            (inputReal, inputImaginary) = (nextReal, nextImaginary)
            (lastReal, lastImaginary, lastPower) = (real, imaginary, power)
        }
    }
}

/// Frequencies of the carriers in the rows of a block, in radians per sample from a quarter of the sample rate.
///
/// ITU-R BT.470-6: Dr at 4.40625 MHz with 280 kHz, Db at 4.25 MHz with 230 kHz.
private struct SECAMBand {
    /// Frequency without chroma, its sine and cosine, and deviation for chroma of 1.
    let centre, sine, cosine: Lanes
    let deviation: Lanes
    /// Chroma is `sineFactor` times half of a sine, plus `cubeFactor` times its cube.
    let sineFactor, cubeFactor: Lanes

    /// Amplitude at 4.286 MHz: half of 23 % of the amplitude of luma.
    static let amplitude = 0.115
    static var lowest: Lanes { Lanes(Float(radians(3_900_000))) }
    static var highest: Lanes { Lanes(Float(radians(4_756_250))) }
    /// Sample rate, and frequency of the smallest amplitude, in hertz.
    static let rate = 17_734_475.0
    static let bell = 4_286_000.0

    init(_ isRed: Block<Int32>) {
        let (red, blue) = (Self.radians(4_406_250), Self.radians(4_250_000))
        let (redStep, blueStep) = (280_000 / Self.rate * 2 * .pi, 230_000 / Self.rate * 2 * .pi)
        func chosen(_ red: Double, _ blue: Double) -> Lanes { select(isRed, Lanes(Float(red)), Lanes(Float(blue))) }
        centre = chosen(red, blue)
        // Swift's functions of Double are those of the C library; the angles are small, so series suffice.
        sine = chosen(Self.sine(red), Self.sine(blue))
        cosine = chosen(Self.cosine(red), Self.cosine(blue))
        deviation = chosen(redStep, blueStep)
        sineFactor = chosen(2 / redStep, 2 / blueStep)
        cubeFactor = chosen(8 / 6 / redStep, 8 / 6 / blueStep)
    }

    static func radians(_ hertz: Double) -> Double { (hertz - rate / 4) / rate * 2 * .pi }

    static func sine(_ x: Double) -> Double { x * (1 - x * x / 6 * (1 - x * x / 20)) }

    static func cosine(_ x: Double) -> Double { 1 - x * x / 2 * (1 - x * x / 12) }
}

/// The resonant filter of a SECAM receiver, (1 + 1.26jF) / (1 + 16jF) with F = f/f0 - f0/f, or its inverse.
///
/// The inverse, in the transmitter, makes the amplitude smallest at the resting frequencies, and contains that
/// amplitude. The filters act on the conjugate phasor I + jQ, so they have one complex zero and one complex pole, which
/// the difference to a quarter of the sample rate turns.
private struct BellFilter {
    /// Factor of the input, and factors of the last input relative to it and of the last output.
    let gain: Lanes
    let zeroReal, zeroImaginary, minusZeroImaginary: Lanes
    let poleReal, poleImaginary, minusPoleImaginary: Lanes

    init(ofReceiver isOfReceiver: Bool) {
        // Bilinear transform of 1 + sT, with the times T = 2·1.26 / ω0 and 2·16 / ω0.
        let narrow = 2 * 16 * SECAMBand.rate / (.pi * SECAMBand.bell)
        let wide = 2 * 1.26 * SECAMBand.rate / (.pi * SECAMBand.bell)
        let (zero, pole) = isOfReceiver ? (wide, narrow) : (narrow, wide)
        let (ratio, minusA1) = ((1 - zero) / (1 + zero), -(1 - pole) / (1 + pole))
        let turn = -SECAMBand.radians(SECAMBand.bell)
        let (cosine, sine) = (SECAMBand.cosine(turn), SECAMBand.sine(turn))
        gain = Lanes(Float((isOfReceiver ? 1 : SECAMBand.amplitude) * (1 + zero) / (1 + pole)))
        zeroReal = Lanes(Float(ratio * cosine))
        zeroImaginary = Lanes(Float(ratio * sine))
        minusZeroImaginary = Lanes(Float(-ratio * sine))
        poleReal = Lanes(Float(minusA1 * cosine))
        poleImaginary = Lanes(Float(minusA1 * sine))
        minusPoleImaginary = Lanes(Float(-minusA1 * sine))
    }
}

extension Filter {
    /// Raises the upper frequencies of a chroma component of SECAM: (1 + jf/85 kHz) / (1 + jf/255 kHz).
    fileprivate static func emphasis(rate: Float) -> Filter {
        // Bilinear transform: s is 2·rate·(1 - 1/z) / (1 + 1/z).
        let step = rate / (pi * 85_000)
        let (zero, pole) = (step, step / 3)
        return Filter(
            b0: (1 + zero) / (1 + pole), b1: (1 - zero) / (1 + pole), a1: (1 - pole) / (1 + pole), order: 1)
    }

    /// The inverse of `emphasis`.
    fileprivate static func deemphasis(rate: Float) -> Filter {
        let emphasis = emphasis(rate: rate)
        return Filter(
            b0: 1 / emphasis.b0, b1: emphasis.a1 / emphasis.b0, a1: emphasis.b1 / emphasis.b0, order: 1)
    }
}
