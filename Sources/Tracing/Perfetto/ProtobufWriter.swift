/// Writes messages in the encoding of protocol buffers.
struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    /// Writes a number of type `uint64`, `uint32` or `bool`, or an enumeration.
    mutating func field(_ number: Int, _ value: UInt64) {
        varint(UInt64(number) << 3)
        varint(value)
    }

    /// Writes a number of type `int64`.
    mutating func field(_ number: Int, signed value: Int64) { field(number, UInt64(bitPattern: value)) }

    /// Writes a number of type `fixed64`.
    mutating func field(_ number: Int, fixed value: UInt64) {
        varint((UInt64(number) << 3) | 1)
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift))) }
    }

    mutating func field(_ number: Int, text: String) {
        varint((UInt64(number) << 3) | 2)
        varint(UInt64(text.utf8.count))
        bytes += text.utf8
    }

    mutating func field(_ number: Int, _ message: ProtobufWriter) {
        varint((UInt64(number) << 3) | 2)
        varint(UInt64(message.bytes.count))
        bytes += message.bytes
    }

    mutating func message(_ number: Int, _ fill: (inout ProtobufWriter) -> Void) {
        var message = ProtobufWriter()
        fill(&message)
        field(number, message)
    }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 128 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
