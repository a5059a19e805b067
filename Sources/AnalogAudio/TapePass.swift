/// One recording and playback of two channels.
struct TapePass {
    private var control = LevelControl()
    private var preEmphasis = BiquadState()
    private var tone = BiquadState()
    private var lowCut = BiquadState()
    private var highCut = BiquadState()
    private var highCut2 = BiquadState()

    /// Records samples: gain, level control, pre-emphasis, and the limit of the tape.
    mutating func record(_ samples: inout [Pair], _ range: Range<Int>, _ design: TrackDesign) {
        var (control, preEmphasis) = (control, preEmphasis)
        for index in range {
            var x = samples[index] * design.gain
            if let levels = design.control { x = control.step(x, levels) }
            x = preEmphasis.step(x, design.preEmphasis)
            samples[index] = x.clamped(
                lowerBound: Pair(repeating: -design.clip), upperBound: Pair(repeating: design.clip))
        }
        (self.control, self.preEmphasis) = (control, preEmphasis)
    }

    /// Plays samples: noise of the tape, de-emphasis, buzz, and the limits of the band.
    mutating func play(
        _ samples: inout [Pair], _ range: Range<Int>, _ design: TrackDesign, noise: [Pair], buzz: [Double]
    ) {
        var (tone, lowCut, highCut, highCut2) = (tone, lowCut, highCut, highCut2)
        for index in range {
            var x = tone.step(samples[index] + noise[index], design.tone)
            x = lowCut.step(x + buzz[index], design.lowCut)
            x = highCut.step(x, design.highCut)
            samples[index] = highCut2.step(x, design.highCut2)
        }
        (self.tone, self.lowCut, self.highCut, self.highCut2) = (tone, lowCut, highCut, highCut2)
    }

    /// Called at the end of each block; see `BiquadState.flush`.
    mutating func flush() {
        control.flush()
        preEmphasis.flush()
        tone.flush()
        lowCut.flush()
        highCut.flush()
        highCut2.flush()
    }
}
