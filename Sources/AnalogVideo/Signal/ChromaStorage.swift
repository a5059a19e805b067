/// The rows that share one row of vertically subsampled chroma.
enum ChromaStorage: Sendable, Equatable {
    /// Neighbouring rows of the picture.
    case progressive
    /// Neighbouring rows of one field, in a picture whose chroma rows alternate between two fields.
    case interleaved
    /// Neighbouring rows of the only field in the buffer.
    case field(isTop: Bool)

    /// Distance of two rows that share chroma, in rows of the picture.
    var step: Int { self == .interleaved ? 2 : 1 }

    /// Distance of chroma below the upper of its two rows, in quarters of the distance of these rows.
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
