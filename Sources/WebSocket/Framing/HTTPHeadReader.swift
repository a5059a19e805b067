/// Collects the head of a request or a response.
public struct HTTPHeadReader: Sendable {
    /// Maximum number of bytes of a head.
    public static let limit = 8192

    private var bytes: [UInt8] = []
    /// Number of bytes of the current line.
    private var lineLength = 0

    /// Creates a reader.
    public init() {}

    /// Parses `input` up to the end of the head, and removes its bytes; nil if the head is incomplete.
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
