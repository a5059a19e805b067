import AnalogVideoModel

/// Constants of the television standards; see docs/NTSC.md, "Sampling rate and scale".
extension TelevisionStandard {
    /// Frequency of the colour carrier in hertz: 47 CFR 73.682 for NTSC, ITU-R BT.470-6 for PAL.
    ///
    /// SECAM is sampled as PAL; its carriers are between 3.9 and 4.76 MHz.
    var carrierFrequency: Float { self == .ntsc ? 315e6 / 88 : 4_433_618.75 }

    /// Sample rate in hertz: four samples per period of the colour carrier, at any width of the picture.
    var sampleRate: Float { 4 * carrierFrequency }

    /// Sample rate divided by that of NTSC.
    var relativeRate: Float { sampleRate / TelevisionStandard.ntsc.sampleRate }

    /// Number of rows of the picture for which lengths and numbers of rows are specified.
    var pictureRows: Float { self == .ntsc ? 480 : 576 }

    /// Bandwidth of luma in hertz, of systems B and G in PAL, and D, K and L in SECAM.
    ///
    /// It is nil without a limit, as in the reference, which has NTSC only.
    var lumaBandwidth: Float? {
        switch self {
        case .ntsc: nil
        case .pal: 5_000_000
        case .secam: 6_000_000
        }
    }

    /// Bandwidth of the video signal of a transmitter in hertz: 47 CFR 73.682 for NTSC.
    var videoBandwidth: Float { lumaBandwidth ?? 4_200_000 }

    /// Difference between black and white of a transmitter, relative to its carrier during synchronization pulses.
    ///
    /// NTSC transmits black with 75 % and white with 12.5 % (47 CFR 73.682), the others with 75 % and 10 %.
    var modulationDepth: Float { self == .ntsc ? 0.625 : 0.65 }

    /// Lines in a second, and in a field.
    var lineRate: Double { self == .ntsc ? 4_500_000 / 286 : 15_625 }
    var linesPerField: Double { self == .ntsc ? 262.5 : 312.5 }

    /// Time of the blanking of a line and of a field, relative to that of their pictures.
    ///
    /// The blanking is 10.9 µs of 63.6 in NTSC, and 12 µs of 64 in the others. The pictures have 480 and 576 rows.
    var horizontalBlanking: Double { self == .ntsc ? 10.9 / (1e6 / lineRate - 10.9) : 12.0 / 52 }
    var verticalBlanking: Double { self == .ntsc ? 22.5 / 240 : 24.5 / 288 }

    /// Time between the synchronization pulse and the picture, in microseconds.
    var backPorchMicroseconds: Float { self == .ntsc ? 4.7 : 5.8 }

    /// Distance of rows whose carriers have opposite phases and the same sign of V; SECAM has no such rows.
    var combDistance: Int { self == .ntsc ? 1 : 2 }
}
