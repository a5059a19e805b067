/// Delays of a simulated network, on top of those of the real one.
public struct NetworkConditions: Sendable, Equatable {
    /// Constant delay to the client.
    public var downlink: Duration
    /// Constant delay to the server.
    public var uplink: Duration
    /// Largest random delay of a message to the client, equally distributed from 0.
    public var jitter: Duration

    public init(downlink: Duration = .zero, uplink: Duration = .zero, jitter: Duration = .zero) {
        self.downlink = downlink
        self.uplink = uplink
        self.jitter = jitter
    }
}
