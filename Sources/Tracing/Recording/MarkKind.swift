/// Kinds of marks.
///
/// No kind has the value 0, so memory that was never written contains no mark.
@usableFromInline enum MarkKind: UInt8 {
    case begin = 1
    case end, slice, counter, instant, instantWithValue, instantWithReason
}
