/// Reads messages in the encoding of protocol buffers, without their schema.
struct ProtobufReader {
    enum Value: Equatable {
        case number(UInt64)
        case fixed(UInt64)
        case bytes([UInt8])

        var number: UInt64? { if case .number(let value) = self { value } else { nil } }
        var fixed: UInt64? { if case .fixed(let value) = self { value } else { nil } }
        var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
        /// The bytes as text; nil if they are not valid UTF-8.
        var text: String? { bytes.flatMap { String(validating: $0, as: UTF8.self) } }
    }

    struct Malformed: Error { let place: Int }

    private let bytes: [UInt8]
    private var place = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The fields of a message, in the order of the message.
    static func fields(_ bytes: [UInt8]) throws -> [(number: Int, value: Value)] {
        var reader = ProtobufReader(bytes)
        var fields: [(number: Int, value: Value)] = []
        while reader.place < bytes.count {
            let tag = try reader.varint()
            fields.append((Int(tag >> 3), try reader.value(wireType: tag & 7)))
        }
        return fields
    }

    private mutating func value(wireType: UInt64) throws -> Value {
        switch wireType {
        case 0: return .number(try varint())
        case 1:
            let eight = try take(8)
            return .fixed(eight.reversed().reduce(0) { ($0 << 8) | UInt64($1) })
        case 2: return .bytes(try take(Int(try varint())))
        default: throw Malformed(place: place)
        }
    }

    private mutating func varint() throws -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: 0 as UInt64, to: 70, by: 7) {
            let byte = try take(1)[0]
            value |= UInt64(byte & 127) << shift
            if byte < 128 { return value }
        }
        throw Malformed(place: place)
    }

    private mutating func take(_ count: Int) throws -> [UInt8] {
        guard count >= 0, count <= bytes.count - place else { throw Malformed(place: place) }
        defer { place += count }
        return Array(bytes[place..<(place + count)])
    }
}
