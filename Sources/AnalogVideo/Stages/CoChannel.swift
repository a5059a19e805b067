import AnalogVideoModel

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Bars of a second station in the channel, whose carrier beats with that of the first.
///
/// See docs/NTSC.md, "Co-channel interference".
struct CoChannel: Sendable {
    private var field: FieldFacts
    private let amplitude: Float
    /// Distance of the carriers, in hertz.
    private let offset: Double
    /// Turn of the beat in a column, in radians.
    private let step: Double

    init?(_ settings: NTSCSettings, _ field: FieldFacts) {
        guard settings.coChannelLevel > 0, field.sampleRate > 0 else { return nil }
        self.field = field
        // The mean of a picture is half of the amplitude.
        amplitude = settings.coChannelLevel * (0.75 / field.standard.modulationDepth - 0.5)
        offset = Double(settings.coChannelOffset)
        step = 2 * .pi * offset / Double(field.sampleRate)
    }

    mutating func begin(_ field: FieldFacts) { self.field = field }

    func add(to plane: inout Plane, firstRow: Int) {
        var (cosines, sines) = (Lanes(0), Lanes(0))
        for lane in 0..<rowsPerBlock {
            let turns = offset * field.line(ofRow: firstRow + lane) / field.standard.lineRate
            let angle = 2 * .pi * (turns - turns.rounded(.down))
            cosines[lane] = amplitude * Float(cos(angle))
            sines[lane] = amplitude * Float(sin(angle))
        }
        // The beat of a column is that of the row turned by the phasor (c, s), which needs no function for each sample.
        let (stepCosine, stepSine) = (cos(step), sin(step))
        var (c, s) = (1.0, 0.0)
        var luma = plane.columns
        for x in luma.indices {
            luma[x] += cosines * Lanes(Float(c)) - sines * Lanes(Float(s))
            (c, s) = (c * stepCosine - s * stepSine, c * stepSine + s * stepCosine)
        }
    }
}
