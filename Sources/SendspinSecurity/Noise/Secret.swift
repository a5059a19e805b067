internal import CSodium

/// Constant bytes that are overwritten before their memory is released, and that no description contains.
public final class Secret: @unchecked Sendable {
    // Unchecked because of the pointer: no code writes to its bytes between `init` and `deinit`.
    private let willRelease: (@Sendable (UnsafeBufferPointer<UInt8>) -> Void)?
    private let bytes: UnsafeMutablePointer<UInt8>

    /// Number of bytes.
    public let count: Int

    /// Creates a secret of `count` bytes, which `fill` writes; `willRelease` receives the overwritten bytes, for tests.
    init(
        count: Int, willRelease: (@Sendable (UnsafeBufferPointer<UInt8>) -> Void)? = nil,
        fill: (UnsafeMutablePointer<UInt8>) -> Void
    ) {
        self.count = count
        self.willRelease = willRelease
        bytes = .allocate(capacity: count)
        bytes.initialize(repeating: 0, count: count)
        fill(bytes)
    }

    /// Copies `bytes`; the caller must overwrite the original.
    public convenience init(copying bytes: [UInt8]) {
        self.init(count: bytes.count) { target in
            for (index, byte) in bytes.enumerated() { target[index] = byte }
        }
    }

    deinit {
        sodium_memzero(bytes, count)
        willRelease?(UnsafeBufferPointer(start: bytes, count: count))
        bytes.deallocate()
    }

    /// Returns a copy that is not overwritten when it is released.
    public func revealed() -> [UInt8] { withBytes { Array($0) } }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withExtendedLifetime(self) { body(UnsafeRawBufferPointer(start: bytes, count: count)) }
    }

    func withPointer<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
        withExtendedLifetime(self) { body(bytes) }
    }
}

extension Secret: Equatable {
    /// Compares two secrets, in constant time if their lengths are equal.
    public static func == (one: Secret, other: Secret) -> Bool {
        guard one.count == other.count else { return false }
        return one.withPointer { first in other.withPointer { sodium_memcmp(first, $0, one.count) == 0 } }
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A text with the number of bytes, but without the bytes.
    public var description: String { "<\(count) secret bytes>" }
    /// Same as `description`.
    public var debugDescription: String { description }
    /// A mirror without children, for `dump`.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
