struct FrameHeader: Sendable, Equatable {
    var isFinal: Bool
    var opcode: Opcode
    /// Length of the payload in bytes.
    var length: Int
    /// Key of the payload; nil if the payload is not masked.
    var mask: MaskKey?

    /// Maximum size of a header in bytes.
    static let maximumSize = 14
    /// Maximum payload of a control frame in bytes.
    static let maximumControlLength = 125

    static func size(_ first: UInt8, _ second: UInt8) -> Int {
        let lengthSize =
            switch second & 0x7F {
            case 126: 2
            case 127: 8
            default: 0
            }
        return 2 + lengthSize + (second & 0x80 != 0 ? 4 : 0)
    }

    init(isFinal: Bool, opcode: Opcode, length: Int, mask: MaskKey?) {
        self.isFinal = isFinal
        self.opcode = opcode
        self.length = length
        self.mask = mask
    }

    /// Parses a header of `size` bytes.
    init(_ bytes: [UInt8]) throws(ProtocolFault) {
        guard bytes[0] & 0x70 == 0 else { throw .reservedBits }
        guard let opcode = Opcode(rawValue: bytes[0] & 0x0F) else { throw .reservedOpcode(bytes[0] & 0x0F) }
        isFinal = bytes[0] & 0x80 != 0
        self.opcode = opcode
        let short = Int(bytes[1] & 0x7F)
        var end = 2
        switch short {
        case 126:
            end = 4
            length = Int(Self.number(bytes[2..<end]))
            guard length > 125 else { throw .longLength }
        case 127:
            end = 10
            let long = Self.number(bytes[2..<end])
            guard long > 0xFFFF else { throw .longLength }
            guard let valid = Int(exactly: long) else { throw .lengthOverflow }
            length = valid
        default: length = short
        }
        mask = bytes[1] & 0x80 != 0 ? MaskKey(value: UInt32(truncatingIfNeeded: Self.number(bytes[end...]))) : nil
        guard opcode.isControl else { return }
        guard isFinal else { throw .fragmentedControl }
        guard length <= Self.maximumControlLength else { throw .longControl(length) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { ($0 << 8) | UInt64($1) }
    }

    /// Appends the header with the shortest form of the length.
    func append(to bytes: inout [UInt8]) {
        bytes.append((isFinal ? 0x80 : 0) | opcode.rawValue)
        let masked: UInt8 = mask == nil ? 0 : 0x80
        let lengthSize: Int
        switch length {
        case ...125:
            bytes.append(masked | UInt8(length))
            lengthSize = 0
        case ...0xFFFF:
            bytes.append(masked | 126)
            lengthSize = 2
        default:
            bytes.append(masked | 127)
            lengthSize = 8
        }
        for index in 0..<lengthSize {
            bytes.append(UInt8(truncatingIfNeeded: length >> ((lengthSize - 1 - index) * 8)))
        }
        if let mask { for offset in 0..<4 { bytes.append(mask.byte(at: offset)) } }
    }
}
