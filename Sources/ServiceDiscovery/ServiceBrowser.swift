/// Finds services of one type in the local network by avahi-daemon, on a thread of its own.
///
/// If the daemon is missing or ends, it reports that once and goes on when the daemon is there again.
public final class ServiceBrowser: Sendable {
    /// A change of the set of services.
    public enum Event: Sendable, Equatable {
        /// A service appeared, or its host, port or TXT record changed.
        case added(DiscoveredService)
        /// A service disappeared; it is equal to the one last added with this name.
        case removed(DiscoveredService)
        /// All services that were known to the daemon have been reported.
        case allForNow
        /// Nothing is found for this reason; the services that were found have been removed.
        case failed(DiscoveryError)
    }

    private let thread = AvahiThread()

    /// Starts to search for services of `type`, such as `_sendspin-server._tcp`.
    ///
    /// `report` is called on the thread of the browser. It must not block.
    public init(type: String, report: @escaping @Sendable (Event) -> Void) {
        let isStarted = thread.start("discovery") { BrowserWork(type: type, thread: $0, report: report) }
        if !isStarted { report(.failed(.noThread)) }
    }

    deinit { thread.stop() }

    /// Ends the search; `report` is not called after the return.
    ///
    /// It may be called on any thread, also in `report`, and otherwise waits for a `report` that is running.
    public func stop() { thread.stop() }
}
