import CAvahi
import Glibc

/// Finds services of one type in the local network through avahi-daemon, on its own thread.
///
/// It reports once that the daemon is missing or has ended, and continues when the daemon is back.
public final class ServiceBrowser: Sendable {
    /// A change of the set of services.
    public enum Event: Sendable, Equatable {
        /// A service has appeared, or its host, port or TXT record has changed.
        case added(DiscoveredService)
        /// A service has disappeared; the value equals the last added service with this name.
        case removed(DiscoveredService)
        /// All services that the daemon knew at the start were reported.
        case allForNow
        /// The search has failed, and the found services were removed.
        case failed(DiscoveryError)
    }

    private let thread = AvahiThread()

    /// Starts to search for services of `type`, such as `_sendspin-server._tcp`.
    ///
    /// The browser calls `report` on its thread. `report` must not block.
    public init(type: String, report: @escaping @Sendable (Event) -> Void) {
        let isStarted = thread.start("discovery") { BrowserWork(type: type, thread: $0, report: report) }
        if !isStarted { report(.failed(.noThread)) }
    }

    deinit { thread.stop() }

    /// Stops the search; `report` is not called after the return.
    ///
    /// Any thread may call this method. If `report` is running, a call from another thread waits for its end.
    public func stop() { thread.stop() }
}

private final class BrowserWork: AvahiWork {
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
        // `begin` is also called after a change of the host name, which does not affect a browser.
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

    /// Resolves a service, and observes its changes.
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

private enum NumericAddress {
    /// Numeric address; a link-local IPv6 address has its interface as the zone.
    static func text(_ address: UnsafePointer<AvahiAddress>, interface: CInt) -> String {
        var bytes = [CChar](repeating: 0, count: 64)
        guard avahi_address_snprint(&bytes, bytes.count, address) != nil else { return "" }
        let text = string(bytes)
        guard address.pointee.proto == AVAHI_PROTO_INET6, isLinkLocal(address.pointee) else { return text }
        var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        guard interface > 0, if_indextoname(CUnsignedInt(interface), &name) != nil else { return text }
        return "\(text)%\(string(name))"
    }

    private static func string(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Whether the address is in fe80::/10.
    private static func isLinkLocal(_ address: AvahiAddress) -> Bool {
        let bytes = address.data.ipv6.address
        return bytes.0 == 0xFE && bytes.1 & 0xC0 == 0x80
    }
}

/// The visible services; a service on several interfaces or protocols is reported once, with its best address.
struct ServiceTable {
    /// Visibility of a service on an interface over IPv4 or IPv6.
    struct Key: Hashable {
        var name: String
        var interface: CInt
        var isIPv6: Bool
    }

    private struct Entry {
        /// The service; nil until it is resolved.
        var service: DiscoveredService?
        var isPending = true
    }

    /// Maximum number of entries, so that a hostile network cannot fill the memory.
    static let limit = 512

    private var entries: [Key: Entry] = [:]
    private var reported: [String: DiscoveredService] = [:]
    private var isBrowsed = false
    private var hasReportedAll = false

    /// Adds a service; false if it must not be resolved, because it is known or there are too many.
    mutating func appeared(_ key: Key) -> Bool {
        guard entries[key] == nil, entries.count < Self.limit else { return false }
        entries[key] = Entry()
        return true
    }

    /// Handles the host, port and text of a service, or a change of them.
    mutating func resolved(_ key: Key, _ service: DiscoveredService) -> [ServiceBrowser.Event] {
        guard entries[key] != nil else { return [] }
        entries[key] = Entry(service: service, isPending: false)
        return changes(of: key.name) + completion()
    }

    mutating func failed(_ key: Key) -> [ServiceBrowser.Event] {
        entries[key]?.isPending = false
        return completion()
    }

    mutating func disappeared(_ key: Key) -> [ServiceBrowser.Event] {
        entries[key] = nil
        return changes(of: key.name) + completion()
    }

    /// Handles the end of the daemon's list of known services.
    mutating func browsedAll() -> [ServiceBrowser.Event] {
        isBrowsed = true
        return completion()
    }

    /// Removes all services after the loss of the daemon.
    mutating func clear() -> [ServiceBrowser.Event] {
        let removed = reported.values.sorted { $0.name < $1.name }
        self = Self()
        return removed.map { .removed($0) }
    }

    private mutating func changes(of name: String) -> [ServiceBrowser.Event] {
        let candidates = entries.filter { $0.key.name == name && $0.value.service != nil }
        let best = candidates.min { Self.rank($0.key, $0.value.service) < Self.rank($1.key, $1.value.service) }
        let (old, new) = (reported[name], best?.value.service)
        reported[name] = new
        if let new { return new == old ? [] : [.added(new)] }
        return old.map { [.removed($0)] } ?? []
    }

    /// Orders IPv4 before IPv6, and link-local IPv6 last, because it is valid on one interface only; then by interface.
    private static func rank(_ key: Key, _ service: DiscoveredService?) -> (Int, CInt, Int) {
        let address = service?.address ?? ""
        let isLinkLocal = address.utf8.contains(UInt8(ascii: "%"))
        let isIPv6 = address.utf8.contains(UInt8(ascii: ":"))
        return (isLinkLocal ? 2 : isIPv6 ? 1 : 0, key.interface, key.isIPv6 ? 1 : 0)
    }

    private mutating func completion() -> [ServiceBrowser.Event] {
        guard isBrowsed, !hasReportedAll, !entries.values.contains(where: \.isPending) else { return [] }
        hasReportedAll = true
        return [.allForNow]
    }
}
