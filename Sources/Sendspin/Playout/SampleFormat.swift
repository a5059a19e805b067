/// Format of little-endian interleaved samples.
public enum SampleFormat: Sendable, Equatable, CaseIterable {
    /// `S16LE`.
    case signed16
    /// `S24LE`: 3 bytes.
    case signed24
    /// `S24_32LE`: the lower 24 bits of 32.
    case signed24in32
    /// `S32LE`.
    case signed32
    /// `F32LE`.
    case float32
    /// `F64LE`.
    case float64

    /// Number of bytes of a sample.
    @inlinable public var bytes: Int {
        switch self {
        case .signed16: 2
        case .signed24: 3
        case .signed24in32, .signed32, .float32: 4
        case .float64: 8
        }
    }
}
