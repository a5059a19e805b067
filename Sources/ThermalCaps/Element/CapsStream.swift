import GStreamer
import Synchronization
import ThermalPolicy

/// Negotiates the caps of the stream, and drops frames.
final class CapsStream: Sendable {
    let host: ElementHost
    let stream: ShapedStream
    /// Shared by the deciding thread and the streaming thread.
    let plan = Mutex(CapsPlan())

    init(host: ElementHost, stream: ShapedStream) {
        self.host = host
        self.stream = stream
    }

    func start() {
        plan.withLock { $0 = CapsPlan() }
        stream.setRefusing(false)
        stream.setPaced(false)
    }

    // MARK: The deciding thread

    var reference: VideoCaps? { plan.withLock { $0.reference } }

    /// Has `order` carried out before the next frame; returns the caps of the output, as negotiated or intended.
    func take(_ order: CapsPlan.Order, at now: Duration) -> VideoCaps? {
        let (isNew, made) = plan.withLock { ($0.take(order), $0.made(at: now)) }
        if isNew {
            // In this order: caps that are negotiated before the request would count as the answer to it.
            stream.requestUpstreamChange()
            stream.requestReshape()
        }
        return made
    }

    func made(at now: Duration) -> VideoCaps? { plan.withLock { $0.made(at: now) } }

    func downstreamAccepts(lessThan caps: VideoCaps) -> Bool {
        stream.downstreamTakesLess(than: Int32(clamping: caps.width), Int32(clamping: caps.height))
    }

    func sourceOffers() -> [CapsRange] { stream.sourceOffers().map(CapsRange.init) }

    func refuseFrames() { stream.setRefusing(true) }

    // MARK: The streaming thread

    func shapes(for picture: StreamPicture, isNew: Bool, wake: () -> Void) -> [StreamPicture] {
        let caps = VideoCaps(picture)
        let (candidates, change) = plan.withLock { plan in
            let change = isNew ? plan.receive(caps) : CapsPlan.CapsChange()
            return (plan.candidates(for: caps), change)
        }
        if change.isOther { wake() }
        if change.mustRequest { stream.requestUpstreamChange() }
        if change.isOtherRate { host.postLatencyChanged() }
        return candidates.map { $0.applied(to: picture) }
    }

    /// Returns whether the negotiated caps differ from the intended ones.
    func shaped(_ input: StreamPicture, into output: StreamPicture) -> Bool {
        let now = ThermalEngine.now
        let (isPaced, isSurprise) = plan.withLock { plan in
            let before = plan.made(at: now)
            return (plan.negotiated(VideoCaps(input), VideoCaps(output)), plan.made(at: now) != before)
        }
        stream.setPaced(isPaced)
        return isSurprise
    }
}

extension VideoCaps {
    init(_ picture: StreamPicture) {
        self.init(
            width: Int(picture.width), height: Int(picture.height),
            rate: FrameRate(Int(picture.rateNumerator), Int(picture.rateDenominator)),
            isInterlaced: picture.isInterlaced, isFields: picture.isFields, isScalable: picture.isScalable)
    }

    func applied(to picture: StreamPicture) -> StreamPicture {
        var picture = picture
        (picture.width, picture.height) = (Int32(clamping: width), Int32(clamping: height))
        if let rate {
            picture.rateNumerator = Int32(clamping: rate.numerator)
            picture.rateDenominator = Int32(clamping: rate.denominator)
        }
        return picture
    }
}

extension StreamWish {
    init(_ caps: VideoCaps) {
        self.init(
            size: StreamSize(Int32(clamping: caps.width), Int32(clamping: caps.height)),
            rate: caps.rate.map { StreamRate(Int32(clamping: $0.numerator), Int32(clamping: $0.denominator)) })
    }
}

extension CapsRange {
    init(_ offer: StreamOffer) {
        func sides(_ sides: StreamOffer.Sides) -> Sides {
            Sides(Int(sides.range.lowerBound)...Int(sides.range.upperBound), step: Int(sides.step))
        }
        self.init(
            widths: offer.widths.map(sides), heights: offer.heights.map(sides),
            rates: offer.rates.compactMap { rates in
                // A range that begins at zero begins just above it.
                guard let most = FrameRate(Int(rates.most.numerator), Int(rates.most.denominator)) else { return nil }
                let least = FrameRate(Int(rates.least.numerator), Int(rates.least.denominator))
                return min(least ?? FrameRate.lowest, most)...most
            })
    }
}
