/// Whose rows share a row of chroma, where that is stored for two rows at once.
enum ChromaStorage: Sendable, Equatable {
    /// Two rows of the picture.
    case progressive
    /// Two rows of the same field; in a picture of two fields their rows of chroma alternate, too.
    case interleaved
    /// Two rows of the only field there is.
    case field(isTop: Bool)

    /// How many rows of the picture it is to the next row that shares chroma with this one.
    var step: Int { self == .interleaved ? 2 : 1 }

    /// How far chroma lies below the upper of its two rows, in quarters of their distance.
    func site(parity: Int, isCosited: Bool) -> Int {
        guard !isCosited else { return 0 }
        return switch self {
        case .progressive: 2
        // In the middle of two rows of the frame, half of which are the other field's.
        case .interleaved: parity == 0 ? 1 : 3
        case .field(let isTop): isTop ? 1 : 3
        }
    }
}
