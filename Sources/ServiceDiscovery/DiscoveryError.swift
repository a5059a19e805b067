/// Reason why services are neither found nor published; its description is a sentence for the user.
public enum DiscoveryError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The system bus refuses the connection.
    case noBus(reason: String)
    /// avahi-daemon or the system bus does not run.
    case noDaemon
    /// avahi-daemon or the system bus has ended; the work continues when it is back.
    case daemonLost(reason: String)
    /// avahi-daemon refuses the request.
    case refused(reason: String)
    /// The system cannot start a thread.
    case noThread

    /// The error and its remedy as a sentence.
    public var description: String {
        switch self {
        case .noBus(let reason):
            "The D-Bus system bus refuses the connection (\(reason)). Check its policy, or set the address of the "
                + "server."
        case .noDaemon:
            "avahi-daemon or the D-Bus system bus does not run. Install and start avahi-daemon (systemctl start "
                + "avahi-daemon), or set the address of the server."
        case .daemonLost(let reason):
            "The connection to avahi-daemon was lost (\(reason)). Discovery continues when the daemon is back."
        case .refused(let reason): "avahi-daemon refuses the request: \(reason). See its log."
        case .noThread: "The system starts no thread for the discovery. Close other programs."
        }
    }
}
