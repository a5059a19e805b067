import AnalogVideoModel

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A delayed signal of the station, as from a reflection; see docs/NTSC.md, "Echo".
struct Echo: Sendable {
    private let shift: RowShift
    /// Factors of the signal, of the echo in phase with the carrier, and of the echo in quadrature.
    private let direct, inPhase, quadrature: Float
    /// Columns of the synchronization pulse before the row, and its level.
    private let pulse: Range<Int>
    private let pulseLevel: Float

    init?(_ settings: NTSCSettings, _ field: FieldFacts) {
        guard settings.ghostLevel > 0 else { return nil }
        let (level, angle) = (settings.ghostLevel, settings.ghostPhase * pi * 2)
        let standard = field.standard
        direct = 1 / (1 + level * cosf(angle))
        inPhase = level * cosf(angle) * direct
        quadrature = level * sinf(angle) * direct * (2 / pi)
        let samplesPerMicrosecond = field.sampleRate * 1e-6
        shift = RowShift(settings.ghostDelay * samplesPerMicrosecond)
        func column(_ microseconds: Float) -> Int {
            Int(wholeNumber((microseconds * samplesPerMicrosecond).rounded(.toNearestOrAwayFromZero)))
        }
        let end = -standard.backPorchMicroseconds
        pulse = column(end - 4.7)..<column(end)
        pulseLevel = -0.25 / standard.modulationDepth
    }

    /// Adds the echo to a block of rows; `echo` is memory for it.
    func apply(to plane: inout Plane, echo: inout Plane) {
        delay(plane, into: &echo)
        var luma = plane.columns
        let echo = echo.readOnlyColumns
        let last = luma.count - 1
        guard last >= 0, echo.count == luma.count else { return }
        let (direct, inPhase, quadrature) = (Lanes(direct), Lanes(inPhase), Lanes(quadrature))
        for x in luma.indices {
            // The Hilbert transform of the echo, without its lowest frequencies.
            var turned = echo[max(x - 1, 0)] - echo[min(x + 1, last)]
            turned = fma(echo[max(x - 3, 0)] - echo[min(x + 3, last)], Lanes(1 / 3), turned)
            turned = fma(echo[max(x - 5, 0)] - echo[min(x + 5, last)], Lanes(1 / 5), turned)
            turned = fma(echo[max(x - 7, 0)] - echo[min(x + 7, last)], Lanes(1 / 7), turned)
            luma[x] = fma(direct, luma[x], fma(inPhase, echo[x], quadrature * turned))
        }
    }

    private func delay(_ plane: borrowing Plane, into echo: inout Plane) {
        let luma = plane.readOnlyColumns
        var echo = echo.columns
        let (nearPart, farPart) = (Lanes(1 - shift.fraction), Lanes(shift.fraction))
        let pulseLevel = Lanes(pulseLevel)
        /// The signal in a column, which can be before the row.
        @inline(__always)
        func signal(_ x: Int) -> Lanes { x >= 0 ? luma[x] : pulse.contains(x) ? pulseLevel : Lanes(0) }
        guard echo.count == luma.count, shift.whole >= 0 else { return }
        var far = signal(-shift.whole - 1)
        for x in luma.indices {
            let near = signal(x - shift.whole)
            echo[x] = near * nearPart + far * farPart
            far = near
        }
    }
}
