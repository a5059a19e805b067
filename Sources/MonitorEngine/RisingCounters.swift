/// Counters of an element that rise although the element begins to count anew.
struct RisingCounters {
    /// The last reading of each counter, and what it had counted before it began anew.
    private var counts: [String: (last: Double, before: Double)] = [:]

    /// Returns the value with what was counted before; one that is no counter as it is.
    mutating func rising(_ value: ReportedValue) -> ReportedValue {
        guard value.isCounter else { return value }
        var (last, before) = counts["\(value.name)/\(value.detail)"] ?? (0, 0)
        if value.value < last { before += last }
        last = value.value
        counts["\(value.name)/\(value.detail)"] = (last, before)
        var value = value
        value.value += before
        return value
    }
}
