/// Delays of a simulated network, in addition to the delays of the real network.
package struct NetworkConditions: Sendable, Equatable {
    /// Constant delay to the client.
    package var downlink: Duration
    /// Constant delay to the server.
    package var uplink: Duration
    /// Maximum random delay of a message to the client; the delay is uniformly distributed from 0.
    package var jitter: Duration

    package init(downlink: Duration = .zero, uplink: Duration = .zero, jitter: Duration = .zero) {
        self.downlink = downlink
        self.uplink = uplink
        self.jitter = jitter
    }
}
