/// Kinds of marks.
///
/// 0 is left out, so that memory never written is no mark.
@usableFromInline enum MarkKind: UInt8 {
    case begin = 1
    case end, slice, counter, instant, instantWithValue, instantWithReason
}
