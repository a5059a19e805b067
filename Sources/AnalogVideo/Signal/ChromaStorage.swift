/// Rows that share one row of vertically subsampled chroma.
enum ChromaStorage: Sendable, Equatable {
    /// Neighbouring rows of the picture.
    case progressive
    /// Neighbouring rows of one field, in a picture whose chroma rows alternate between two fields.
    case interleaved
    /// Neighbouring rows of the only field in the buffer.
    case field(isTop: Bool)

    /// Distance between two rows that share chroma, in rows of the picture.
    var step: Int { self == .interleaved ? 2 : 1 }

    /// Position of chroma between its two rows: 0 is at the upper row, 4 is at the lower row.
    func site(parity: Int, isCosited: Bool) -> Int {
        guard !isCosited else { return 0 }
        return switch self {
        case .progressive: 2
        // As in MPEG-2: a quarter below the upper row in the top field, three quarters in the bottom field.
        case .interleaved: parity == 0 ? 1 : 3
        case .field(let isTop): isTop ? 1 : 3
        }
    }
}
