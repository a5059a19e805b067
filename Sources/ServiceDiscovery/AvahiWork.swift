import CAvahi

/// Work that requires a connection to avahi-daemon.
///
/// An `AvahiThread` calls all methods on its thread.
protocol AvahiWork: AnyObject {
    /// The daemon accepts requests.
    func begin(_ client: OpaquePointer)
    /// The host name changes, so published services are invalid.
    func pause()
    /// There is no connection to the daemon, and all objects of the client are freed.
    func fail(_ error: DiscoveryError)
}

extension DiscoveryError {
    /// Converts an error code of Avahi.
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
