extension Int64 {
    /// The sum, less `less`; clamped where it would overflow.
    func addingClamped(_ more: UInt64, less: UInt64 = 0) -> Int64 {
        let (sum, isTooMuch) = addingReportingOverflow(Int64(clamping: more))
        return (isTooMuch ? .max : sum).subtractingClamped(Int64(clamping: less))
    }

    /// The difference, clamped where it would overflow.
    func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, isTooMuch) = subtractingReportingOverflow(other)
        return isTooMuch ? (other > 0 ? .min : .max) : difference
    }
}
