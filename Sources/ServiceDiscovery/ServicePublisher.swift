/// Publishes a service in the local network by avahi-daemon, on a thread of its own.
///
/// If the daemon is missing or ends, it reports that once and publishes when the daemon is there again.
public final class ServicePublisher: Sendable {
    /// A change of the state of the publication.
    public enum Event: Sendable, Equatable {
        /// The service is visible under this name, which differs from the one asked for if that was taken.
        case published(name: String)
        /// The service is not visible for this reason.
        case failed(DiscoveryError)
    }

    private let thread = AvahiThread()

    /// Starts to publish the service `name` of `type`, such as `_sendspin._tcp`, on this host.
    ///
    /// `report` is called on the thread of the publisher. It must not block.
    public init(
        name: String, type: String, port: UInt16, text: [String: String], report: @escaping @Sendable (Event) -> Void
    ) {
        let service = PublisherWork.Service(name: name, type: type, port: port, text: text)
        let isStarted = thread.start("publication") { PublisherWork(service, thread: $0, report: report) }
        if !isStarted { report(.failed(.noThread)) }
    }

    deinit { thread.stop() }

    /// Withdraws the service; `report` is not called after the return.
    ///
    /// It may be called on any thread, also in `report`, and otherwise waits for a `report` that is running.
    public func stop() { thread.stop() }
}
