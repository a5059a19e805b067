import Threads

/// Name of a span, a counter or a track of slices: the address of a text that is never freed.
///
/// A string literal needs no registration, because its text is part of the program. Other names, such as those of
/// elements, are registered once, not on a streaming thread.
public struct TraceName: Sendable, ExpressibleByStringLiteral {
    /// The address of UTF-8 with a final zero.
    @usableFromInline let address: UInt

    /// The name of a string literal, such as `"pool.acquire"`.
    @inlinable public init(stringLiteral literal: StaticString) {
        // A literal of a single Unicode scalar may have no address; this type accepts strings only.
        address = literal.hasPointerRepresentation ? unsafe UInt(bitPattern: literal.utf8Start) : 0
    }

    /// Registers a name that is known only at run time; equal texts share one entry.
    ///
    /// Takes a lock and allocates, so it is called when an element starts, never for a frame. Texts stay until the process
    /// ends: at most `limit` of them are kept, 200 bytes each; further ones are called `other`.
    public init(registering text: String) { address = Self.table.withLock { $0.address(of: text) } }

    /// Number of texts that can be registered.
    public static let limit = 4096

    private static let table = ProcessMutex(NameTable())
}

/// Texts that were registered.
private struct NameTable {
    private var addresses: [String: UInt] = [:]

    mutating func address(of text: String) -> UInt {
        if let known = addresses[text] { return known }
        guard addresses.count < TraceName.limit else { return TraceName("other").address }
        let bytes = Self.bytes(of: text)
        // Never freed, because a record in a ring may refer to it.
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
        for index in bytes.indices { unsafe copy[index] = bytes[index] }
        let address = UInt(bitPattern: copy)
        addresses[text] = address
        return address
    }

    /// The text as UTF-8 with a final zero, cut to 200 bytes at a character boundary.
    ///
    /// A NUL in the text is replaced by U+2400.
    private static func bytes(of text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            let next = Array(String(scalar.value == 0 ? "\u{2400}" : scalar).utf8)
            guard bytes.count + next.count <= 200 else { break }
            bytes += next
        }
        return bytes + [0]
    }
}

extension TraceName {
    /// The text of a name, given its address.
    static func text(at address: UInt) -> String {
        guard let start = unsafe UnsafePointer<CChar>(bitPattern: address) else { return "" }
        return unsafe String(cString: start)
    }
}
