/// Collects the head of a request or a response, at most `limit` bytes.
public struct HTTPHeadReader: Sendable {
    /// Largest head that is accepted.
    public static let limit = 8192

    private var bytes: [UInt8] = []
    /// Number of bytes of the current line.
    private var lineLength = 0

    /// A reader that has no bytes.
    public init() {}

    /// Takes bytes from the beginning of `input`; nil if all were taken and the head is incomplete.
    ///
    /// Bytes behind the head remain in `input`.
    public mutating func next(_ input: inout ArraySlice<UInt8>) throws(UpgradeFault) -> HTTPHead? {
        while let byte = input.popFirst() {
            guard bytes.count < Self.limit else { throw .tooLarge(limit: Self.limit) }
            bytes.append(byte)
            guard byte == UInt8(ascii: "\n") else {
                lineLength += 1
                continue
            }
            let isEmpty = lineLength == 0 || (lineLength == 1 && bytes[bytes.count - 2] == UInt8(ascii: "\r"))
            lineLength = 0
            if isEmpty { return try HTTPHead(bytes) }
        }
        return nil
    }
}
