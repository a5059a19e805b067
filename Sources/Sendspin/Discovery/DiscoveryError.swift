/// Reason why services are neither found nor published.
///
/// Its description is a sentence for the user.
public enum DiscoveryError: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is no system bus; the text is the reason of D-Bus.
    case noBus(reason: String)
    /// avahi-daemon does not run.
    case noDaemon
    /// avahi-daemon went away; the search goes on when it is back.
    case daemonLost(reason: String)
    /// avahi-daemon refuses the request; the text is its reason.
    case refused(reason: String)
    /// The system provides no thread.
    case noThread

    /// The error as a sentence that says what to do.
    public var description: String { "" }
}
