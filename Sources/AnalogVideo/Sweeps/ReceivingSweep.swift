import AnalogVideoModel

/// Notch demodulation, luma smear, ringing and luma noise in one pass over a block of rows; see `EncodingSweep`.
struct ReceivingSweep: FusedSweep, Sendable {
    static var stages: ClosedRange<SignalStage> { .lumaIntoChroma ... .lumaNoise }

    private let carrier: Carrier
    private let smear: Filter
    private let ringing: Filter?
    private let noise: RowNoise?

    /// Nil if the stages must run separately.
    init?(
        _ demodulation: Demodulation, _ carrier: Carrier, _ smear: LumaSmear?, _ ringing: Ringing?, _ noise: RowNoise?
    ) {
        guard demodulation.isNotch else { return nil }
        self.carrier = carrier
        self.smear = smear?.filter ?? .identity
        self.ringing = ringing?.filter
        self.noise = noise
    }

    /// `memory` is `Workspace.weights`.
    func walk(
        _ plane: borrowing Plane, luma: inout Plane, _ chromaI: inout Plane, _ chromaQ: inout Plane, firstRow: Int,
        memory: inout Plane
    ) {
        if ringing != nil, let swept = noise?.swept(firstRow: firstRow) {
            walk(swept, plane, &luma, &chromaI, &chromaQ, firstRow)
        } else {
            walk(NoNoise(), plane, &luma, &chromaI, &chromaQ, firstRow)
            noise?.add(to: &luma, firstRow: firstRow, memory: &memory)
        }
    }

    @inline(__always)
    private func walk(
        _ noise: some SweptNoise, _ plane: borrowing Plane, _ luma: inout Plane, _ chromaI: inout Plane,
        _ chromaQ: inout Plane, _ firstRow: Int
    ) {
        let composite = plane.readOnlyColumns
        let count = composite.count
        // The loop below writes without bounds checks.
        guard count > 0, luma.readOnlyColumns.count == count, chromaI.readOnlyColumns.count == count,
            chromaQ.readOnlyColumns.count == count
        else { return }
        // The ringing filter starts in the steady state for its first input.
        let first = FirstOrder.firstOutput(smear, SecondOrder.carrierNotchsFirstOutput(composite[0]))
        if let ringing {
            walk(noise, SecondOrder(ringing, settledAt: first), plane, &luma, &chromaI, &chromaQ, firstRow)
        } else {
            walk(noise, PassThrough(.identity), plane, &luma, &chromaI, &chromaQ, firstRow)
        }
    }

    @inline(__always)
    private func walk<Ringing: RunningFilter>(
        _ noise: some SweptNoise, _ ringing: Ringing, _ plane: borrowing Plane, _ planeY: inout Plane,
        _ planeI: inout Plane, _ planeQ: inout Plane, _ firstRow: Int
    ) {
        // The delay is a constant in each loop, so that the loop does not test whether columns of noise are even.
        let delay = Ringing.self == PassThrough.self ? 0 : 1
        let composite = plane.readOnlyColumns
        let (source, startY, startI, startQ) = unsafe (plane.start, planeY.start, planeI.start, planeQ.start)
        var luma = planeY.columns
        var chromaI = planeI.columns
        var chromaQ = planeQ.columns
        var ringing = ringing
        var noise = noise
        var notch: SecondOrder = .carrierNotch
        var smear = FirstOrder(smear)
        var splitter = ChromaSplitter(carrier.waves(firstRow: firstRow))
        var last = Lanes(0)
        // Columns in whole periods of the carrier require no checks, except for those of the first period and the last one.
        let whole = (composite.count - 1) & ~3
        var x = 0
        while x < composite.count {
            while x >= 4 && x < whole {
                unsafe Self.receive(
                    source + x, startY + (x &- delay), startI + (x &- 1), startQ + (x &- 1), delay: delay, &notch,
                    &smear, &ringing, &splitter, &noise)
                x &+= 4
            }
            guard x < composite.count else { break }
            let smooth = notch.step(composite[x])
            splitter.split(composite[x], smooth, at: x, &chromaI, &chromaQ)
            last = smear.step(smooth)
            let rung = ringing.step(last)
            if x >= delay { luma[x - delay] = noise.add(to: rung, x: x - delay) }
            x &+= 1
        }
        splitter.finish(&chromaI, &chromaQ, count: composite.count)
        for x in max(0, composite.count - delay)..<composite.count {
            luma[x] = noise.add(to: ringing.step(last), x: x)
        }
    }
}

extension ReceivingSweep {
    /// Decodes one period of the carrier; luma and chroma are late by different numbers of columns.
    @inline(__always)
    @unsafe private static func receive(
        _ composite: UnsafeMutablePointer<Lanes>, _ luma: UnsafeMutablePointer<Lanes>,
        _ chromaI: UnsafeMutablePointer<Lanes>, _ chromaQ: UnsafeMutablePointer<Lanes>, delay: Int,
        _ notch: inout SecondOrder, _ smear: inout FirstOrder, _ ringing: inout some RunningFilter,
        _ splitter: inout ChromaSplitter, _ noise: inout some SweptNoise
    ) {
        Columns.forEachInPeriod { phase in
            let source = unsafe Columns(composite + phase)
            var (y, i, q) = (source, source, source)
            Columns.forEach { number in
                let smooth = notch.step(source[number])
                (i[number], q[number]) = splitter.split(source[number], smooth, phase: phase &+ number)
                y[number] = noise.add(to: ringing.step(smear.step(smooth)), x: phase &+ number &- delay)
            }
            unsafe y.store(to: luma + phase)
            unsafe i.store(to: chromaI + phase)
            unsafe q.store(to: chromaQ + phase)
        }
    }
}

extension FirstOrder {
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
