import Testing
import ThermalPolicy

@Suite struct CapsPlanTests {
    private let full = VideoCaps(width: 320, height: 240, rate: FrameRate(30, 1))
    private let small = VideoCaps(width: 160, height: 120, rate: FrameRate(30, 1))
    private let offers = [
        CapsRange(
            widths: [.init(1...4000)], heights: [.init(1...4000)], rates: [.lowest...(FrameRate(1000, 1) ?? .lowest)])
    ]

    /// Downstream may accept less than the plan, until the source sends other caps.
    @Test func newCapsDiscardTheNegotiatedOutput() {
        var plan = CapsPlan()
        _ = plan.receive(full)
        _ = plan.negotiated(full, small)
        #expect(plan.made(at: .zero) == small)
        let other = VideoCaps(width: 640, height: 480, rate: FrameRate(30, 1))
        _ = plan.receive(other)
        #expect(plan.made(at: .zero) == other)
    }

    /// A source that was requested to send full caps again sends reduced caps for some frames.
    @Test func reportsTheIntendedCapsWhileTheSourceMayAnswer() {
        var plan = CapsPlan()
        _ = plan.receive(full)
        var order = CapsPlan.Order()
        order.limits.shortSide = 120
        let isReduced = plan.take(order)
        let isSmallRequested = plan.request(from: offers, sending: full, at: .zero)
        #expect(isReduced && isSmallRequested)
        _ = plan.receive(small)
        _ = plan.negotiated(small, small)
        #expect(plan.made(at: .zero) == small)
        let isRestored = plan.take(.init())
        let isFullRequested = plan.request(from: offers, sending: small, at: .seconds(10))
        #expect(isRestored && isFullRequested)
        _ = plan.negotiated(small, small)
        #expect(plan.made(at: .milliseconds(10_999)) == full)
        // The source has not answered for 1 s.
        #expect(plan.made(at: .seconds(11)) == small)
    }
}
