/// Reason why the server does not start.
public enum ServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The address is not numeric.
    case badAddress(ServerAddress)
    /// The system refused to listen; `reason` is its text.
    case cannotListen(ServerAddress, reason: String)
    /// Another socket uses the port; `reason` is the text of the system.
    case portInUse(ServerAddress, reason: String)
    /// The system provides no thread or descriptor; `reason` is its text.
    case noResources(reason: String)
    /// The server already runs.
    case isRunning

    /// Describes the error and the remedy in one sentence.
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
