import AnalogVideoModel

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Limits luma to the bandwidth of a channel; see docs/NTSC.md, "Input luma filter".
struct LumaBandLimit: Sendable {
    private let filter: Filter

    init?(_ settings: NTSCSettings, _ field: FieldFacts) {
        // Near half the sample rate the filter would have no effect, and its poles would be near the unit circle.
        guard let cutoff = field.standard.lumaBandwidth, cutoff < 0.45 * field.sampleRate else { return nil }
        filter = .butterworth(cutoff: cutoff, rate: field.sampleRate)
    }

    func apply(to luma: inout Plane) {
        run(SecondOrder(filter, settledAt: luma.firstColumn), along: &luma, delay: 1)
    }

    /// The filter after the column of its delay, and its next output.
    func begun(at luma: borrowing Plane) -> (filter: SecondOrder, first: Lanes) {
        var filter = SecondOrder(filter, settledAt: luma.firstColumn)
        _ = filter.step(luma.firstColumn)
        var ahead = filter
        return (filter, ahead.step(luma.readOnlyColumns.count > 1 ? luma.readOnlyColumns[1] : luma.firstColumn))
    }
}

/// Sharpens the composite signal, or blurs it if the setting is negative; see docs/NTSC.md, "Composite sharpening".
struct CompositePreemphasis: Sendable {
    let filter: Filter

    init?(_ settings: NTSCSettings, _ field: FieldFacts) {
        guard settings.compositePreemphasis != 0 else { return nil }
        let cutoff = field.standard.carrierFrequency / 2
        filter = Filter.onePole(cutoff: cutoff * field.horizontalScale, rate: field.sampleRate)
            .mixed(-settings.compositePreemphasis)
    }

    func apply(to composite: inout Plane) { run(filter, along: &composite) }
}

/// Smears luma to the right, as an amplifier of low bandwidth does; see docs/NTSC.md, "Luma smear".
struct LumaSmear: Sendable {
    let filter: Filter

    init?(_ settings: NTSCSettings, _ field: FieldFacts) {
        guard settings.lumaSmear > 0 else { return nil }
        filter = .onePole(cutoff: exp2f(-4 * settings.lumaSmear) * 0.25, rate: field.horizontalScale)
    }

    func apply(to luma: inout Plane) { run(filter, along: &luma) }
}

/// Adds damped oscillations beside sharp edges; see docs/NTSC.md, "Ringing".
///
/// At the frequency 0 the filter has no steady state: the plane becomes NaN and the picture white, as in the reference.
struct Ringing: Sendable {
    let filter: Filter

    init?(_ settings: NTSCSettings, _ field: FieldFacts) {
        guard settings.ringing else { return nil }
        let frequency = min(max(settings.ringingFrequency / field.horizontalScale, 0), 1)
        filter = Filter.notch(frequency: frequency, quality: settings.ringingPower).mixed(settings.ringingScale)
    }

    func apply(to luma: inout Plane) {
        run(SecondOrder(filter, settledAt: luma.firstColumn), along: &luma, delay: 1)
    }
}
