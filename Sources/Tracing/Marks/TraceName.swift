import Threads

/// Name of a span, an instant, a counter or a track of slices: the address of a text that is never freed.
///
/// A string literal requires no registration, because the program contains its text. Other names, such as those of
/// elements, are registered once, not on a streaming thread.
public struct TraceName: Sendable, ExpressibleByStringLiteral {
    /// Address of UTF-8 text with a final zero.
    @usableFromInline let address: UInt

    /// Creates the name of a string literal, such as `"pool.acquire"`.
    @inlinable public init(stringLiteral literal: StaticString) {
        // A literal of a single Unicode scalar may have no address; this type accepts only strings.
        address = literal.hasPointerRepresentation ? unsafe UInt(bitPattern: literal.utf8Start) : 0
    }

    /// Registers a name that is known only at run time; equal texts share one entry.
    ///
    /// The call locks a mutex and allocates memory, so register names when an element starts, never for a frame. Texts
    /// are cut to 200 bytes and kept until the process ends. After `limit` texts, further names become `other`.
    public init(registering text: String) { address = Self.table.withLock { $0.address(of: text) } }

    /// Number of texts that can be registered.
    public static let limit = 4096

    private static let table = ProcessMutex(NameTable())
}

private struct NameTable {
    private var addresses: [String: UInt] = [:]

    mutating func address(of text: String) -> UInt {
        if let known = addresses[text] { return known }
        guard addresses.count < TraceName.limit else { return TraceName("other").address }
        let bytes = Self.bytes(of: text)
        // The copy is never freed, because a record in a ring may contain its address.
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
        for index in bytes.indices { unsafe copy[index] = bytes[index] }
        let address = UInt(bitPattern: copy)
        addresses[text] = address
        return address
    }

    /// Text as UTF-8 with a final zero, cut to 200 bytes between Unicode scalars; U+2400 replaces NUL.
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
    static func text(at address: UInt) -> String {
        guard let start = unsafe UnsafePointer<CChar>(bitPattern: address) else { return "" }
        return unsafe String(cString: start)
    }
}
