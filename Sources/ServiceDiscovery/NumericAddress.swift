import CAvahi
import Glibc

/// Numeric text of an address.
enum NumericAddress {
    /// The address; a link-local one of IPv6 has its interface as a zone.
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

    /// Whether the address is one of fe80::/10.
    private static func isLinkLocal(_ address: AvahiAddress) -> Bool {
        let bytes = address.data.ipv6.address
        return bytes.0 == 0xFE && bytes.1 & 0xC0 == 0x80
    }
}
