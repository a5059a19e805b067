/// Format of interleaved samples.
public struct SampleFormat: Sendable, Equatable {
    /// Number of bits of a sample, and their meaning.
    public enum Encoding: Sendable, Equatable, CaseIterable {
        /// `S8`.
        case signed8
        /// `U8`: silence is 128.
        case unsigned8
        /// `S16LE` and `S16BE`.
        case signed16
        /// `S24LE` and `S24BE`: 3 bytes.
        case signed24
        /// `S24_32LE` and `S24_32BE`: the lower 24 bits of 32.
        case signed24in32
        /// `S32LE` and `S32BE`.
        case signed32
        /// `F32LE` and `F32BE`.
        case float32
        /// `F64LE` and `F64BE`.
        case float64
    }

    /// Number of bits of a sample, and their meaning.
    public let encoding: Encoding
    /// Whether the most significant byte is the first one.
    public let isBigEndian: Bool

    /// Creates a format; the byte order has no effect on 8-bit samples.
    public init(_ encoding: Encoding, isBigEndian: Bool = false) {
        self.encoding = encoding
        self.isBigEndian = isBigEndian
    }

    /// Number of bytes of a sample.
    @inlinable public var bytes: Int {
        switch encoding {
        case .signed8, .unsigned8: 1
        case .signed16: 2
        case .signed24: 3
        case .signed24in32, .signed32, .float32: 4
        case .float64: 8
        }
    }

    /// Value of each byte of silence.
    public var silence: UInt8 { encoding == .unsigned8 ? 0x80 : 0 }
}
