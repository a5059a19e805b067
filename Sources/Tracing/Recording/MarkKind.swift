/// Kinds of marks; no kind has the value 0, so memory that was never written contains no mark.
@usableFromInline enum MarkKind: UInt8 {
    case begin = 1
    case end, slice, counter, instant, instantWithValue, instantWithReason

    /// Type of the value of an instant; nil for other kinds of marks.
    var note: SpanHook.Note? {
        switch self {
        case .instant: SpanHook.Note.none
        case .instantWithValue: .number
        case .instantWithReason: .reason
        case .begin, .end, .slice, .counter: nil
        }
    }
}
