/// Reason why a connection fails; its description is a sentence for the user.
public enum WebSocketError: Error, Sendable, Equatable, CustomStringConvertible {
    /// `Waker.cancel` was called.
    case cancelled
    /// A request cannot contain the host or the path.
    case badAddress(WebSocketAddress, reason: String)
    /// The system cannot resolve the name.
    case cannotResolve(WebSocketAddress, reason: String)
    /// No address of the host accepts a connection.
    case cannotConnect(WebSocketAddress, reason: String)
    /// The server at this address does not respond as a WebSocket server.
    case refused(WebSocketAddress, reason: String)
    /// The connection was not established in this time.
    case timedOut(WebSocketAddress, after: Duration)
    /// The system cannot listen at the address.
    case cannotListen(WebSocketAddress, reason: String)
    /// The system has no descriptor or thread.
    case noResources(reason: String)

    /// The error and its remedy as a sentence.
    public var description: String {
        switch self {
        case .cancelled: "The connection was cancelled."
        case .badAddress(let address, let reason): "\(address) is not a usable address: \(reason)."
        case .cannotResolve(let address, let reason):
            "Cannot find the host \(address.host): \(reason). Check the name, or use a numeric address."
        case .cannotConnect(let address, let reason):
            "Cannot connect to \(address.authority): \(reason). Check that the server runs, its port, and the firewall."
        case .refused(let address, let reason):
            "No WebSocket at \(address): \(reason). Check the port and the path."
        case .timedOut(let address, let time):
            "\(address.authority) did not answer within \(PrintableText.make(time)). Check the address and the network."
        case .cannotListen(let address, let reason):
            "Cannot listen on \(address.authority): \(reason). Choose another port, or port 0 for any free one."
        case .noResources(let reason):
            "The system provides no resources for a connection: \(reason). Close other connections."
        }
    }
}
