import Glibc
import Sockets

/// Decides for which Host headers the server answers.
///
/// A web page may resolve its own name to 127.0.0.1 and then read local servers (DNS rebinding). The requests contain
/// that name, so the server answers only for names that an attacker cannot own.
public struct HTTPHost: Sendable {
    private let address: String
    private let machineName: String
    private let others: [String]

    /// Accepts loopback names, `address`, and `others`, which are the result of `names(in:)`.
    ///
    /// If `address` means all interfaces, also accepts numeric addresses, and `machineName` with or without ".local".
    init(address: ServerAddress, machineName: String, others: [String] = []) {
        self.address = Self.lowercased(address.host)
        self.machineName = Self.lowercased(machineName)
        self.others = others
    }

    /// Parses hosts separated by commas: names, `*.` and a name, or numeric addresses; nil if one is invalid.
    public static func names(in text: String) -> [String]? {
        var names: [String] = []
        for part in text.utf8.split(separator: UInt8(ascii: ",")) {
            let name = String(decoding: HTTPHead.trimmed(Array(part)[...]).map(\.lowercased), as: UTF8.self)
            let isGroup = name.utf8.starts(with: "*.".utf8)
            guard isName(name.utf8.dropFirst(isGroup ? 2 : 0)) || isNumeric(name) else { return nil }
            names.append(name)
        }
        return names
    }

    /// Whether to answer a request; `header` is nil if the request has no Host header, which all browsers send.
    func allows(_ header: String?) -> Bool {
        guard let header else { return true }
        guard let name = Self.name(in: header) else { return false }
        if others.contains(where: { Self.matches(name, $0) }) { return true }
        if ["localhost", "127.0.0.1", "[::1]", address, "[\(address)]"].contains(name) { return true }
        guard address == "0.0.0.0" || address == "::" else { return false }
        let isMachine = !machineName.isEmpty && (name == machineName || name == machineName + ".local")
        return isMachine || Self.isNumeric(name)
    }

    /// Host without its port; nil if the port is not a number.
    private static func name(in header: String) -> String? {
        let bytes = Array(header.utf8)
        var end = bytes.count
        if let colon = bytes.lastIndex(of: UInt8(ascii: ":")), !bytes[colon...].contains(UInt8(ascii: "]")) {
            guard bytes[(colon + 1)...].allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            end = colon
        }
        return end > 0 ? String(decoding: bytes[..<end], as: UTF8.self) : nil
    }

    /// Whether `other`, a result of `names(in:)`, matches a name, which may end with the dot of the root.
    private static func matches(_ name: String, _ other: String) -> Bool {
        let name = name.utf8.last == UInt8(ascii: ".") ? name.utf8.dropLast() : name.utf8[...]
        guard other.utf8.first == UInt8(ascii: "*") else { return name.elementsEqual(other.utf8) }
        let end = other.utf8.dropFirst()
        return name.suffix(end.count).elementsEqual(end) && isName(name.dropLast(end.count))
    }

    private static func isName(_ name: Substring.UTF8View) -> Bool {
        name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.count)
                && label.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-_".utf8.contains($0) }
        }
    }

    private static func isNumeric(_ name: String) -> Bool {
        var address = in6_addr()
        if name.utf8.first == UInt8(ascii: "["), name.utf8.last == UInt8(ascii: "]") {
            let text = String(decoding: name.utf8.dropFirst().dropLast(), as: UTF8.self)
            return unsafe inet_pton(AF_INET6, text, &address) == 1
        }
        return unsafe inet_pton(AF_INET, name, &address) == 1
    }

    private static func lowercased(_ text: String) -> String {
        String(decoding: text.utf8.map(\.lowercased), as: UTF8.self)
    }
}
