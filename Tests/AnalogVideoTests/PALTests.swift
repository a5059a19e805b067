import Foundation
import Testing

@testable import AnalogVideo
@testable import AnalogVideoModel

/// PAL: the carrier, phase errors in both decoders, and the delay lines; docs/NTSC.md, "Delay line".
struct PALTests {
    /// Phase errors in degrees.
    private static let errors = Array(stride(from: 5, through: 40, by: 5))

    /// Hue in degrees and saturation of the output of the decoder, relative to the input.
    private func change(
        _ planes: CleanSignal.Planes, row: Int
    ) throws -> (degrees: Double, saturation: Double) {
        let before = try CleanSignal.chroma(planes, .input, row: row)
        let after = try CleanSignal.chroma(planes, .delayLine, row: row)
        let (dot, cross) = (before.x * after.x + before.y * after.y, before.x * after.y - before.y * after.x)
        let square = before.x * before.x + before.y * before.y
        return (atan2(cross, dot) * 180 / .pi, (dot * dot + cross * cross).squareRoot() / square)
    }

    // MARK: Phase errors

    /// A decoder without a delay line turns the hue by the phase error, in opposite directions in neighbouring rows.
    @Test(arguments: errors)
    func phaseErrorsAreBarsOfTwoHuesInASimpleDecoder(degrees: Int) throws {
        var settings = CleanSignal.settings(.pal)
        (settings.palDecoder, settings.chromaPhaseError) = (.simple, Float(degrees) / 360)
        for planes in try CleanSignal.planes(settings) {
            for row in 1..<(CleanSignal.height / 2) {
                let (one, other) = (try change(planes, row: row - 1), try change(planes, row: row))
                #expect(abs(abs(other.degrees) - Double(degrees)) < 0.05 * Double(degrees), "row \(row)")
                #expect(one.degrees * other.degrees < 0, "row \(row)")
                #expect(abs(other.saturation - 1) < 0.001)
            }
        }
    }

    /// A delay line keeps the hue and multiplies the saturation by the cosine of the phase error.
    @Test(arguments: errors)
    func phaseErrorsAreLossOfSaturationWithADelayLine(degrees: Int) throws {
        var settings = CleanSignal.settings(.pal)
        settings.chromaPhaseError = Float(degrees) / 360
        let loss = 1 - cos(Double(degrees) * .pi / 180)
        for planes in try CleanSignal.planes(settings) {
            for row in 1..<(CleanSignal.height / 2) {
                let change = try change(planes, row: row)
                #expect(abs(change.degrees) < 0.05)
                #expect(abs((1 - change.saturation) - loss) < 0.05 * loss, "row \(row)")
            }
        }
    }

    @Test(arguments: errors)
    func phaseErrorsTurnTheHueInNTSC(degrees: Int) throws {
        var settings = CleanSignal.settings(.ntsc)
        settings.chromaPhaseError = Float(degrees) / 360
        for planes in try CleanSignal.planes(settings) {
            for row in 0..<(CleanSignal.height / 2) {
                let change = try change(planes, row: row)
                #expect(abs(change.degrees - Double(degrees)) < 0.05 * Double(degrees))
                #expect(abs(change.saturation - 1) < 0.001)
            }
        }
    }

    // MARK: Delay lines

    /// Chroma that alternates between the rows of a field is lost, because a row is the mean of two.
    @Test func delayLineRemovesTheFinestVerticalDetail() throws {
        var settings = CleanSignal.settings(.pal)
        let rows: (Int) -> [UInt8] = { $0 & 2 == 0 ? [60, 120, 180, 255] : [180, 120, 60, 255] }
        let averaged = try CleanSignal.planes(settings, pixel: rows)
        settings.palDecoder = .simple
        let separate = try CleanSignal.planes(settings, pixel: rows)
        for field in 0..<2 {
            for row in 2..<(CleanSignal.height / 2) {
                let mean = try CleanSignal.chroma(averaged[field], .delayLine, row: row)
                let own = try CleanSignal.chroma(separate[field], .delayLine, row: row)
                let above = try CleanSignal.chroma(separate[field], .delayLine, row: row - 1)
                #expect(abs(mean.x - (own.x + above.x) / 2) < 1e-6 && abs(mean.y - (own.y + above.y) / 2) < 1e-6)
                #expect(abs(own.x - above.x) > 0.1)
            }
        }
    }

    /// The blend of a tape takes rows of the same sign of V, which are two rows apart.
    @Test func tapesBlendRowsThatAreTwoRowsApart() throws {
        var settings = CleanSignal.settings(.pal)
        (settings.palDecoder, settings.vhsChromaVertBlend) = (.simple, true)
        let planes = try CleanSignal.planes(settings) { [UInt8(($0 * 37) % 200), 90, UInt8(($0 * 61) % 200), 255] }
        for field in planes {
            for row in 0..<(CleanSignal.height / 2) {
                let own = try CleanSignal.chroma(field, .tapeSharpen, row: row)
                let above = try row < 2 ? (x: 0, y: 0) : CleanSignal.chroma(field, .tapeSharpen, row: row - 2)
                let blended = try CleanSignal.chroma(field, .chromaVerticalBlend, row: row)
                #expect(abs(blended.x - (own.x + above.x) / 2) < 1e-6 && abs(blended.y - (own.y + above.y) / 2) < 1e-6)
            }
        }
    }

    // MARK: Carrier and scale

    private func carrier(_ frame: UInt64) -> Carrier {
        let run = FieldRun(firstRow: 0, rowStep: 2, rowCount: 288, frame: frame)
        let settings = CleanSignal.settings(.pal)
        return Carrier(settings, FieldFacts(width: 768, pictureHeight: 576, run: run, settings: settings))
    }

    /// A line lasts 283.7516 periods, so the carrier of the next line is a quarter behind, with few exceptions.
    @Test func carrierIsAQuarterBehindInTheNextRow() {
        for frame: UInt64 in 0..<8 {
            let phases = (0..<288).map { carrier(frame).phase(row: $0) }
            let steps = zip(phases, phases.dropFirst()).map { ($1 - $0) & 3 }
            #expect(steps.count { $0 == 3 } >= 285)
            // In 288 lines, the rest of 1/625 period is 1.84 quarters.
            #expect((1...2).contains(steps.count { $0 == 0 }))
        }
    }

    @Test func carrierRepeatsAfterEightFields() {
        let fields = (0..<16).map { frame in (0..<288).map { carrier(frame).phase(row: $0) } }
        for frame in 0..<8 {
            #expect(fields[frame] == fields[frame + 8])
            for other in 0..<frame { #expect(fields[frame] != fields[other], "fields \(frame) and \(other)") }
        }
    }

    @Test func signOfVAlternatesAndRepeatsAfterFourFields() {
        for frame: UInt64 in 0..<8 {
            let signs = carrier(frame).signs(firstRow: 0)
            for row in 1..<rowsPerBlock { #expect(signs[row] == -signs[row - 1]) }
            let (second, fourth) = (carrier(frame + 2).signs(firstRow: 0), carrier(frame + 4).signs(firstRow: 0))
            for row in 0..<rowsPerBlock { #expect(second[row] == -signs[row] && fourth[row] == signs[row]) }
        }
    }

    @Test func scaleIsThatOfAPictureOf576Rows() {
        var settings = CleanSignal.settings(.pal)
        settings.scaleWithVideoSize = true
        let run = FieldRun(firstRow: 0, rowStep: 2, rowCount: 288, frame: 0)
        let facts = FieldFacts(width: 768, pictureHeight: 576, run: run, settings: settings)
        #expect(facts.horizontalScale == 1 && facts.verticalScale == 1)
        #expect(abs(Double(facts.sampleRate) - 17_734_475) <= 1)
        settings.standard = .ntsc
        #expect(FieldFacts(width: 768, pictureHeight: 576, run: run, settings: settings).verticalScale == 1.2)
    }

    /// 5 MHz are 0.707 of the amplitude; at half of that, luma is nearly complete.
    @Test(arguments: [(2.5e6, 0.95...1.0), (5e6, 0.70...0.715), (7e6, 0...0.3)])
    func lumaIsLimitedTo5MHz(hertz: Double, amplitude: ClosedRange<Double>) throws {
        let run = FieldRun(firstRow: 0, rowStep: 2, rowCount: rowsPerBlock, frame: 0)
        let facts = FieldFacts(width: 800, pictureHeight: 576, run: run, settings: CleanSignal.settings(.pal))
        let limit = try #require(LumaBandLimit(CleanSignal.settings(.pal), facts))
        guard var plane = Plane(width: 800) else {
            Issue.record("no memory")
            return
        }
        let step = 2 * Double.pi * hertz / Double(facts.sampleRate)
        var columns = plane.columns
        for x in 0..<800 { columns[x] = Lanes(Float(cos(step * Double(x)))) }
        limit.apply(to: &plane)
        var (sine, cosine) = (0.0, 0.0)
        let filtered = plane.readOnlyColumns
        for x in 100..<700 {
            sine += Double(filtered[x][0]) * sin(step * Double(x)) / 300
            cosine += Double(filtered[x][0]) * cos(step * Double(x)) / 300
        }
        #expect(amplitude.contains((sine * sine + cosine * cosine).squareRoot()))
    }
}
