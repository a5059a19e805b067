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
            walk(SecondOrder(ringing, settledAt: first), delay: 1, plane, &luma, &chromaI, &chromaQ, firstRow)
        } else {
            walk(PassThrough(.identity), delay: 0, plane, &luma, &chromaI, &chromaQ, firstRow)
        }
    }

    @inline(__always)
    private func walk(
        _ ringing: some RunningFilter, delay: Int, _ plane: borrowing Plane, _ planeY: inout Plane,
        _ planeI: inout Plane, _ planeQ: inout Plane, _ firstRow: Int
    ) {
        let composite = plane.readOnlyColumns
        let (source, startY, startI, startQ) = unsafe (plane.start, planeY.start, planeI.start, planeQ.start)
        var luma = planeY.columns
        var chromaI = planeI.columns
        var chromaQ = planeQ.columns
        var ringing = ringing
        var notch: SecondOrder = .carrierNotch
        var smear = FirstOrder(smear)
        var splitter = ChromaSplitter(carrier.waves(firstRow: firstRow))
        var last = Lanes(0)
        // The columns between the first period of the carrier and the rest of the last one need no checks.
        let whole = composite.count & ~3
        var x = 0
        while x < composite.count {
            if x >= 4 && x < whole {
                // Written out, because a phase that is not constant would copy the waves to the stack.
                unsafe Self.receive(
                    source + x, startY + (x &- delay), startI + (x &- 1), startQ + (x &- 1), &notch, &smear, &ringing,
                    &splitter, &last)
                x &+= 4
                continue
            }
            let smooth = notch.step(composite[x])
            splitter.split(smooth - composite[x], at: x, phase: x & 3, &chromaI, &chromaQ)
            last = smear.step(smooth)
            let rung = ringing.step(last)
            if x >= delay { luma[x - delay] = rung }
            x &+= 1
        }
        splitter.finish(&chromaI, &chromaQ, count: composite.count)
        for x in max(0, composite.count - delay)..<composite.count { luma[x] = ringing.step(last) }
    }
}

extension ReceivingSweep {
    /// Receives one period of the carrier; the outputs are late by different numbers of columns.
    @inline(__always)
    @unsafe private static func receive(
        _ composite: UnsafeMutablePointer<Lanes>, _ luma: UnsafeMutablePointer<Lanes>,
        _ chromaI: UnsafeMutablePointer<Lanes>, _ chromaQ: UnsafeMutablePointer<Lanes>, _ notch: inout SecondOrder,
        _ smear: inout FirstOrder, _ ringing: inout some RunningFilter, _ splitter: inout ChromaSplitter,
        _ last: inout Lanes
    ) {
        unsafe receive(composite, luma, chromaI, chromaQ, 0, &notch, &smear, &ringing, &splitter, &last)
        unsafe receive(composite, luma, chromaI, chromaQ, 1, &notch, &smear, &ringing, &splitter, &last)
        unsafe receive(composite, luma, chromaI, chromaQ, 2, &notch, &smear, &ringing, &splitter, &last)
        unsafe receive(composite, luma, chromaI, chromaQ, 3, &notch, &smear, &ringing, &splitter, &last)
    }

    @inline(__always)
    @unsafe private static func receive(
        _ composite: UnsafeMutablePointer<Lanes>, _ luma: UnsafeMutablePointer<Lanes>,
        _ chromaI: UnsafeMutablePointer<Lanes>, _ chromaQ: UnsafeMutablePointer<Lanes>, _ phase: Int,
        _ notch: inout SecondOrder, _ smear: inout FirstOrder, _ ringing: inout some RunningFilter,
        _ splitter: inout ChromaSplitter, _ last: inout Lanes
    ) {
        let smooth = unsafe notch.step(composite[phase])
        unsafe (chromaI[phase], chromaQ[phase]) = splitter.split(smooth - composite[phase], phase: phase)
        last = smear.step(smooth)
        unsafe luma[phase] = ringing.step(last)
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
