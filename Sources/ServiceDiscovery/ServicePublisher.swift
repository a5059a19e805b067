import CAvahi

/// Publishes a service in the local network through avahi-daemon, on its own thread.
///
/// It reports once that the daemon is missing or has ended, and publishes when the daemon is back.
public final class ServicePublisher: Sendable {
    /// A change of the publication.
    public enum Event: Sendable, Equatable {
        /// The service is visible under this name, which is another name if the requested one was taken.
        case published(name: String)
        /// The service is not visible.
        case failed(DiscoveryError)
    }

    private let thread = AvahiThread()

    /// Starts to publish the service `name` of `type`, such as `_sendspin._tcp`, on this host.
    ///
    /// The publisher calls `report` on its thread. `report` must not block.
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
    /// Any thread may call this method. If `report` is running, a call from another thread waits for its end.
    public func stop() { thread.stop() }
}

private final class PublisherWork: AvahiWork {
    struct Service {
        var name: String
        var type: String
        var port: UInt16
        var text: [String: String]
    }

    /// Maximum number of alternative names.
    private static let attempts = 20

    private var service: Service
    private let thread: AvahiThread
    private let report: @Sendable (ServicePublisher.Event) -> Void
    private var group: OpaquePointer?
    private var client: OpaquePointer?
    private var renames = 0

    init(_ service: Service, thread: AvahiThread, report: @escaping @Sendable (ServicePublisher.Event) -> Void) {
        self.service = service
        self.thread = thread
        self.report = report
    }

    func begin(_ client: OpaquePointer) {
        self.client = client
        let data = Unmanaged.passUnretained(self).toOpaque()
        if group == nil { group = avahi_entry_group_new(client, groupCallback, data) }
        guard group != nil else { return refuse() }
        publish()
    }

    func pause() { if let group { avahi_entry_group_reset(group) } }

    func fail(_ error: DiscoveryError) {
        client = nil
        group = nil
        send(.failed(error))
    }

    private func send(_ event: ServicePublisher.Event) { thread.report { report(event) } }

    private func refuse() {
        if let client { send(.failed(DiscoveryError(avahi_client_errno(client)))) }
    }

    private func publish() {
        guard let group else { return }
        let text = TextRecord.make(service.text)
        defer { avahi_string_list_free(text) }
        let failure = avahi_entry_group_add_service_strlst(
            group, -1, -1, AvahiPublishFlags(0), service.name, service.type, nil, nil, service.port, text)
        switch failure {
        case 0: if avahi_entry_group_commit(group) < 0 { refuse() }
        case CInt(AVAHI_ERR_COLLISION): rename()
        default: send(.failed(DiscoveryError(failure)))
        }
    }

    private func rename() {
        guard let group, renames < Self.attempts, let name = avahi_alternative_service_name(service.name) else {
            return send(.failed(DiscoveryError(CInt(AVAHI_ERR_COLLISION))))
        }
        defer { avahi_free(name) }
        renames += 1
        service.name = String(cString: name)
        avahi_entry_group_reset(group)
        publish()
    }

    fileprivate func groupChanged(_ state: AvahiEntryGroupState) {
        switch state {
        case AVAHI_ENTRY_GROUP_ESTABLISHED: send(.published(name: service.name))
        case AVAHI_ENTRY_GROUP_COLLISION: rename()
        case AVAHI_ENTRY_GROUP_FAILURE: refuse()
        default: break
        }
    }
}

private func groupCallback(_ group: OpaquePointer?, _ state: AvahiEntryGroupState, _ data: UnsafeMutableRawPointer?) {
    guard let data else { return }
    Unmanaged<PublisherWork>.fromOpaque(data).takeUnretainedValue().groupChanged(state)
}
