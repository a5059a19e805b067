/// Reason why the server does not start.
public enum ServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The address is not numeric.
    case badAddress(ServerAddress)
    /// The system refused to listen; the text is its reason.
    case cannotListen(ServerAddress, reason: String)
    /// Another socket has the port; the text is the reason of the system.
    case portInUse(ServerAddress, reason: String)
    /// The system provides no thread or descriptor; the text is its reason.
    case noResources(reason: String)
    /// The server is running already.
    case isRunning

    /// The error as a sentence that says what to do.
    public var description: String {
        switch self {
        case .badAddress(let address):
            "\(address.host) is not a numeric address; use for example 127.0.0.1 or [::1]"
        case .cannotListen(let address, let reason), .portInUse(let address, let reason):
            "cannot listen on \(address): \(reason); choose another port, or port 0 for any free one"
        case .noResources(let reason): "cannot start the HTTP server: \(reason)"
        case .isRunning: "the HTTP server is running already"
        }
    }
}
