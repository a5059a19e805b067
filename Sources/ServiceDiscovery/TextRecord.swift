import CAvahi

/// The TXT record of a service (RFC 6763, section 6).
enum TextRecord {
    private static let limit = 64

    /// Parses the entries; keys become lower case, because they are case-insensitive.
    static func parse(_ list: UnsafeMutablePointer<AvahiStringList>?) -> [String: String] {
        var text: [String: String] = [:]
        var next = list
        while let entry = next, text.count < limit {
            next = avahi_string_list_get_next(entry)
            guard let pointer = avahi_string_list_get_text(entry) else { continue }
            let bytes = UnsafeBufferPointer(start: pointer, count: avahi_string_list_get_size(entry))
            let keyBytes = bytes.prefix { $0 != UInt8(ascii: "=") }
            let key = String(decoding: keyBytes, as: UTF8.self).lowercased()
            let value = String(decoding: bytes.dropFirst(keyBytes.count + 1), as: UTF8.self)
            // The first of several entries with one key applies.
            if !key.isEmpty, text[key] == nil { text[key] = value }
        }
        return text
    }

    /// Creates a list of the entries; the caller frees it.
    static func make(_ text: [String: String]) -> UnsafeMutablePointer<AvahiStringList>? {
        var list: UnsafeMutablePointer<AvahiStringList>?
        for (key, value) in text.sorted(by: { $0.key > $1.key }) {
            list = avahi_string_list_add(list, "\(key)=\(value)") ?? list
        }
        return list
    }
}
