import CAvahi

@testable import ServiceDiscovery

extension TextRecord {
    /// Parses a record that contains the strings `entries`.
    static func parse(_ entries: [String]) -> [String: String] {
        var list: UnsafeMutablePointer<AvahiStringList>?
        // The function adds each string at the beginning of the list.
        for entry in entries.reversed() { list = avahi_string_list_add(list, entry) }
        defer { avahi_string_list_free(list) }
        return parse(list)
    }

    /// Makes a record of `text`, and parses this record.
    static func roundTrip(_ text: [String: String]) -> [String: String] {
        let list = make(text)
        defer { avahi_string_list_free(list) }
        return parse(list)
    }
}
