/// Reason why services are neither found nor published.
///
/// Its description is a sentence for the user.
public enum DiscoveryError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The system bus refuses the connection; the text is the reason of Avahi.
    case noBus(reason: String)
    /// avahi-daemon or the system bus does not run.
    case noDaemon
    /// avahi-daemon or the system bus ended; the work goes on when it is back.
    case daemonLost(reason: String)
    /// avahi-daemon refuses the request; the text is its reason.
    case refused(reason: String)
    /// The system provides no thread.
    case noThread

    /// The error as a sentence that says what to do.
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
