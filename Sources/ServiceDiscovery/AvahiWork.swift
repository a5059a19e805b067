import CAvahi

/// Work that needs a connection to avahi-daemon.
///
/// All methods are called on the thread of an `AvahiThread`.
protocol AvahiWork: AnyObject {
    /// The daemon accepts requests.
    func begin(_ client: OpaquePointer)
    /// The name of the host changes: what was published is not valid.
    func pause()
    /// The connection has ended, and all objects of the client are freed; nothing goes on for this reason.
    func fail(_ error: DiscoveryError)
}

extension DiscoveryError {
    /// The error of a number of Avahi.
    init(_ number: CInt) {
        let reason = String(cString: avahi_strerror(number))
        switch number {
        case CInt(AVAHI_ERR_NO_DAEMON): self = .noDaemon
        case CInt(AVAHI_ERR_DISCONNECTED): self = .daemonLost(reason: reason)
        case CInt(AVAHI_ERR_DBUS_ERROR): self = .noBus(reason: reason)
        default: self = .refused(reason: reason)
        }
    }
}
