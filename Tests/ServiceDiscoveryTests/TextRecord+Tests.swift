import CAvahi

@testable import ServiceDiscovery

extension TextRecord {
    /// The entries of a record with these strings.
    static func parse(_ entries: [String]) -> [String: String] {
        var list: UnsafeMutablePointer<AvahiStringList>?
        // Each string is added at the front.
        for entry in entries.reversed() { list = avahi_string_list_add(list, entry) }
        defer { avahi_string_list_free(list) }
        return parse(list)
    }

    /// The entries of the record that is made of `text`.
    static func roundTrip(_ text: [String: String]) -> [String: String] {
        let list = make(text)
        defer { avahi_string_list_free(list) }
        return parse(list)
    }
}
