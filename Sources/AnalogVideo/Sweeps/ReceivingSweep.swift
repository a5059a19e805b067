import AnalogVideoModel

/// Demodulation with the notch, luma smear and ringing in one pass over a block of rows; see `EncodingSweep`.
struct ReceivingSweep: FusedSweep, Sendable {
    static var stages: ClosedRange<SignalStage> { .lumaIntoChroma ... .ringing }

    private let carrier: Carrier
    private let smear: Filter
    private let ringing: Filter?

    /// Nil if the stages must run one after the other.
    init?(_ demodulation: Demodulation, _ carrier: Carrier, _ smear: LumaSmear?, _ ringing: Ringing?) {
        guard demodulation.isNotch else { return nil }
        self.carrier = carrier
        self.smear = smear?.filter ?? .identity
        self.ringing = ringing?.filter
    }

    func walk(
        _ plane: borrowing Plane, luma: inout Plane, _ chromaI: inout Plane, _ chromaQ: inout Plane, firstRow: Int
    ) {
        let composite = plane.readOnlyColumns
        guard composite.count > 0 else { return }
        // The ringing filter starts in the steady state for its first input.
        let first = FirstOrder.firstOutput(smear, SecondOrder.carrierNotchsFirstOutput(composite[0]))
        if let ringing {
            walk(SecondOrder(ringing, settledAt: first), delay: 1, composite, &luma, &chromaI, &chromaQ, firstRow)
        } else {
            walk(PassThrough(.identity), delay: 0, composite, &luma, &chromaI, &chromaQ, firstRow)
        }
    }

    @inline(__always)
    private func walk(
        _ ringing: some RunningFilter, delay: Int, _ composite: Span<Lanes>, _ planeY: inout Plane,
        _ planeI: inout Plane, _ planeQ: inout Plane, _ firstRow: Int
    ) {
        var luma = planeY.columns
        var chromaI = planeI.columns
        var chromaQ = planeQ.columns
        var ringing = ringing
        var notch: SecondOrder = .carrierNotch
        var smear = FirstOrder(smear)
        var splitter = ChromaSplitter(carrier.waves(firstRow: firstRow))
        let period = 4
        var last = Lanes(0)
        for first in stride(from: 0, to: composite.count, by: period) {
            for phase in 0..<min(period, composite.count - first) {
                let x = first + phase
                let smooth = notch.step(composite[x])
                splitter.split(smooth - composite[x], at: x, phase: phase, &chromaI, &chromaQ)
                last = smear.step(smooth)
                let rung = ringing.step(last)
                if x >= delay { luma[x - delay] = rung }
            }
        }
        splitter.finish(&chromaI, &chromaQ, count: composite.count)
        for x in max(0, composite.count - delay)..<composite.count { luma[x] = ringing.step(last) }
    }
}

extension FirstOrder {
    /// The first output of a filter that starts at rest.
    fileprivate static func firstOutput(_ filter: Filter, _ input: Lanes) -> Lanes {
        var running = FirstOrder(filter)
        return running.step(input)
    }
}

extension SecondOrder {
    fileprivate static func carrierNotchsFirstOutput(_ input: Lanes) -> Lanes {
        var running: SecondOrder = .carrierNotch
        return running.step(input)
    }
}
