/// The services that are visible, each on several interfaces and protocols.
///
/// A service is reported once, with the best of its addresses.
struct ServiceTable {
    /// Where a service is visible.
    struct Key: Hashable {
        var name: String
        var interface: CInt
        var isIPv6: Bool
    }

    private struct Entry {
        /// Nil until it is resolved.
        var service: DiscoveredService?
        var isPending = true
    }

    /// Number of entries that are held, so that a hostile network cannot fill the memory.
    static let limit = 512

    private var entries: [Key: Entry] = [:]
    private var reported: [String: DiscoveredService] = [:]
    private var isBrowsed = false
    private var hasReportedAll = false

    /// A service appeared; false if it must not be resolved, because it is known or there are too many.
    mutating func appeared(_ key: Key) -> Bool {
        guard entries[key] == nil, entries.count < Self.limit else { return false }
        entries[key] = Entry()
        return true
    }

    /// Host, port and text of a service are known, or have changed.
    mutating func resolved(_ key: Key, _ service: DiscoveredService) -> [ServiceBrowser.Event] {
        guard entries[key] != nil else { return [] }
        entries[key] = Entry(service: service, isPending: false)
        return changes(of: key.name) + completion()
    }

    /// The service cannot be resolved.
    mutating func failed(_ key: Key) -> [ServiceBrowser.Event] {
        entries[key]?.isPending = false
        return completion()
    }

    /// A service disappeared from an interface.
    mutating func disappeared(_ key: Key) -> [ServiceBrowser.Event] {
        entries[key] = nil
        return changes(of: key.name) + completion()
    }

    /// The daemon has named all services that it knows.
    mutating func browsedAll() -> [ServiceBrowser.Event] {
        isBrowsed = true
        return completion()
    }

    /// The daemon is gone.
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

    /// IPv4 first, because a link-local IPv6 address is valid on one interface only; then the order of interfaces.
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
