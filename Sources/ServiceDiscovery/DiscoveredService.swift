/// A service in the local network.
public struct DiscoveredService: Sendable, Hashable {
    /// Name of the service, unique for its type.
    public var name: String
    /// Type, such as `_sendspin-server._tcp`.
    public var type: String
    /// Name of the host, such as `den.local`.
    public var hostName: String
    /// Numeric address of the host; IPv6 link-local addresses have a zone (`fe80::1%eth0`).
    public var address: String
    /// Port of the service.
    public var port: UInt16
    /// Entries of the TXT record: the first value of each key; empty for a key without a value.
    public var text: [String: String]

    /// Creates a service.
    public init(
        name: String, type: String, hostName: String, address: String, port: UInt16, text: [String: String]
    ) {
        self.name = name
        self.type = type
        self.hostName = hostName
        self.address = address
        self.port = port
        self.text = text
    }
}
