import Testing
import ThermalPolicy

@Suite struct CapsPlanTests {
    private let full = VideoCaps(width: 320, height: 240, rate: FrameRate(30, 1))
    private let small = VideoCaps(width: 160, height: 120, rate: FrameRate(30, 1))
    private let offers = [
        CapsRange(
            widths: [.init(1...4000)], heights: [.init(1...4000)], rates: [.lowest...(FrameRate(1000, 1) ?? .lowest)])
    ]

    /// If downstream accepts only smaller frames than planned, these are the output until the source sends other caps.
    @Test func newCapsDiscardTheNegotiatedOutput() {
        var plan = CapsPlan()
        _ = plan.receive(full)
        _ = plan.negotiated(full, small, under: plan.order)
        #expect(plan.made(at: .zero) == small)
        let other = VideoCaps(width: 640, height: 480, rate: FrameRate(30, 1))
        _ = plan.receive(other)
        #expect(plan.made(at: .zero) == other)
    }

    /// After a request for full caps, a source still sends some frames with reduced caps.
    @Test func reportsTheIntendedCapsWhileTheSourceMayAnswer() {
        var plan = CapsPlan()
        _ = plan.receive(full)
        var order = CapsPlan.Order()
        order.limits.shortSide = 120
        let isReduced = plan.take(order)
        let isSmallRequested = plan.request(from: offers, sending: full, at: .zero)
        #expect(isReduced && isSmallRequested)
        _ = plan.receive(small)
        _ = plan.negotiated(small, small, under: plan.order)
        #expect(plan.made(at: .zero) == small)
        let isRestored = plan.take(.init())
        let isFullRequested = plan.request(from: offers, sending: small, at: .seconds(10))
        #expect(isRestored && isFullRequested)
        _ = plan.negotiated(small, small, under: plan.order)
        #expect(plan.made(at: .milliseconds(10_999)) == full)
        // The source has not answered for 1 s.
        #expect(plan.made(at: .seconds(11)) == small)
    }

    private func reduced() -> CapsPlan.Order {
        var order = CapsPlan.Order()
        order.limits.shortSide = 120
        return order
    }

    /// A negotiation may end after the next order has arrived, but before the caps of this order are requested.
    @Test func reportsTheIntendedCapsUntilTheOrderIsApplied() {
        var plan = CapsPlan()
        _ = plan.receive(full)
        _ = plan.take(reduced())
        _ = plan.request(from: offers, sending: full, at: .zero)
        _ = plan.receive(small)
        let earlier = plan.order
        let isRestored = plan.take(.init())
        _ = plan.negotiated(small, small, under: earlier)
        #expect(isRestored && plan.made(at: .seconds(9)) == full)
        // Downstream may request a negotiation before the streaming thread requests other caps.
        _ = plan.negotiated(small, small, under: plan.order)
        #expect(plan.made(at: .seconds(9)) == full)
        let isRequested = plan.request(from: offers, sending: small, at: .seconds(9))
        #expect(isRequested && plan.made(at: .seconds(9)) == full)
        _ = plan.receive(full)
        _ = plan.negotiated(full, full, under: plan.order)
        #expect(plan.made(at: .seconds(9)) == full)
    }

    /// If a queue follows the source, caps that answer a request arrive some frames later.
    @Test func answerToAnEarlierRequestIsNotReported() {
        var plan = CapsPlan()
        _ = plan.receive(full)
        _ = plan.take(reduced())
        _ = plan.request(from: offers, sending: full, at: .zero)
        var order = reduced()
        order.limits.shortSide = 60
        let least = VideoCaps(width: 80, height: 60, rate: FrameRate(30, 1))
        _ = plan.take(order)
        let isRequested = plan.request(from: offers, sending: full, at: .zero)
        _ = plan.receive(small)
        _ = plan.negotiated(small, small, under: plan.order)
        #expect(isRequested && plan.made(at: .zero) == least)
        #expect(plan.made(at: .seconds(1)) == small, "the source has not answered for 1 s")
        _ = plan.receive(least)
        _ = plan.negotiated(least, least, under: plan.order)
        #expect(plan.made(at: .zero) == least)
    }

    @Test func reportsWhatIsNegotiatedOnceTheOrderIsApplied() {
        var plan = CapsPlan()
        _ = plan.receive(full)
        _ = plan.negotiated(full, full, under: plan.order)
        var order = reduced()
        order.mustKeepSource = true
        _ = plan.take(order)
        #expect(plan.made(at: .zero) == small)
        let isRequested = plan.request(from: offers, sending: full, at: .zero)
        _ = plan.negotiated(full, full, under: order)
        #expect(!isRequested && plan.made(at: .zero) == full, "downstream accepts no smaller frames")
    }

    @Test func takesBackARequestThatTheSourceHasNotAnswered() {
        var plan = CapsPlan()
        _ = plan.receive(full)
        _ = plan.take(reduced())
        _ = plan.request(from: offers, sending: full, at: .zero)
        _ = plan.take(.init())
        let isRequested = plan.request(from: offers, sending: full, at: .milliseconds(1))
        #expect(isRequested && plan.requested == full)
    }
}
