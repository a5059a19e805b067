import CAvahi
import Glibc

/// Browses and resolves services with a client of Avahi.
final class BrowserWork: AvahiWork {
    private let type: String
    private let thread: AvahiThread
    private let report: @Sendable (ServiceBrowser.Event) -> Void
    private var client: OpaquePointer?
    private var table = ServiceTable()
    private var resolvers: [ServiceTable.Key: OpaquePointer] = [:]

    init(type: String, thread: AvahiThread, report: @escaping @Sendable (ServiceBrowser.Event) -> Void) {
        self.type = type
        self.thread = thread
        self.report = report
    }

    func begin(_ client: OpaquePointer) {
        // The daemon is also running again after a change of the host name, which does not concern a browser.
        guard self.client == nil else { return }
        self.client = client
        let data = Unmanaged.passUnretained(self).toOpaque()
        guard avahi_service_browser_new(client, -1, -1, type, nil, AvahiLookupFlags(0), browserCallback, data) != nil
        else {
            return send([.failed(DiscoveryError(avahi_client_errno(client)))])
        }
    }

    func pause() {}

    func fail(_ error: DiscoveryError) {
        client = nil
        resolvers = [:]
        send(table.clear() + [.failed(error)])
    }

    private func send(_ events: [ServiceBrowser.Event]) {
        for event in events { thread.report { report(event) } }
    }

    fileprivate func browsed(_ event: AvahiBrowserEvent, _ key: ServiceTable.Key?, _ domain: UnsafePointer<CChar>?) {
        switch (event, key) {
        case (AVAHI_BROWSER_NEW, let key?): if table.appeared(key) { resolve(key, domain) }
        case (AVAHI_BROWSER_REMOVE, let key?):
            if let resolver = resolvers.removeValue(forKey: key) { avahi_service_resolver_free(resolver) }
            send(table.disappeared(key))
        case (AVAHI_BROWSER_ALL_FOR_NOW, _): send(table.browsedAll())
        case (AVAHI_BROWSER_FAILURE, _):
            if let client { send([.failed(DiscoveryError(avahi_client_errno(client)))]) }
        default: break
        }
    }

    /// Resolves a service, and follows its changes.
    private func resolve(_ key: ServiceTable.Key, _ domain: UnsafePointer<CChar>?) {
        guard let client else { return }
        let family = AvahiProtocol(key.isIPv6 ? AVAHI_PROTO_INET6 : AVAHI_PROTO_INET)
        let data = Unmanaged.passUnretained(self).toOpaque()
        guard
            let resolver = avahi_service_resolver_new(
                client, key.interface, family, key.name, type, domain, -1, AvahiLookupFlags(0),
                resolverCallback, data)
        else { return send(table.failed(key)) }
        resolvers[key] = resolver
    }

    fileprivate func resolved(_ key: ServiceTable.Key, _ service: DiscoveredService?) {
        if let service { send(table.resolved(key, service)) } else { send(table.failed(key)) }
    }

    fileprivate func service(
        _ key: ServiceTable.Key, _ host: UnsafePointer<CChar>?, _ address: UnsafePointer<AvahiAddress>, _ port: UInt16,
        _ text: UnsafeMutablePointer<AvahiStringList>?
    ) -> DiscoveredService {
        DiscoveredService(
            name: key.name, type: type, hostName: host.map { String(cString: $0) } ?? "",
            address: NumericAddress.text(address, interface: key.interface), port: port, text: TextRecord.parse(text))
    }
}

private func tableKey(_ name: UnsafePointer<CChar>?, _ interface: CInt, _ family: CInt) -> ServiceTable.Key? {
    name.map { .init(name: String(cString: $0), interface: interface, isIPv6: family == AVAHI_PROTO_INET6) }
}

private func browserCallback(
    _ browser: OpaquePointer?, _ interface: AvahiIfIndex, _ family: AvahiProtocol, _ event: AvahiBrowserEvent,
    _ name: UnsafePointer<CChar>?, _ type: UnsafePointer<CChar>?, _ domain: UnsafePointer<CChar>?,
    _ flags: AvahiLookupResultFlags, _ data: UnsafeMutableRawPointer?
) {
    guard let data else { return }
    let work = Unmanaged<BrowserWork>.fromOpaque(data).takeUnretainedValue()
    work.browsed(event, tableKey(name, interface, family), domain)
}

private func resolverCallback(
    _ resolver: OpaquePointer?, _ interface: AvahiIfIndex, _ family: AvahiProtocol, _ event: AvahiResolverEvent,
    _ name: UnsafePointer<CChar>?, _ type: UnsafePointer<CChar>?, _ domain: UnsafePointer<CChar>?,
    _ host: UnsafePointer<CChar>?, _ address: UnsafePointer<AvahiAddress>?, _ port: UInt16,
    _ text: UnsafeMutablePointer<AvahiStringList>?,
    _ flags: AvahiLookupResultFlags, _ data: UnsafeMutableRawPointer?
) {
    guard let data, let key = tableKey(name, interface, family) else { return }
    let work = Unmanaged<BrowserWork>.fromOpaque(data).takeUnretainedValue()
    guard event == AVAHI_RESOLVER_FOUND, let address else { return work.resolved(key, nil) }
    work.resolved(key, work.service(key, host, address, port, text))
}
