/// Number of processors that a process may use.
///
/// Sources: proc(5), and the kernel's `Documentation/admin-guide/cgroup-v2.rst`.
public enum ProcessorLimit {
    /// Upper bound of the numbers in a file, above the limit of any kernel.
    private static let most = 65_536

    /// Number of processors in a list such as `0-3,8`; nil if the text is not a list.
    public static func count(list: some StringProtocol) -> Int? {
        ranges(list).map { $0.reduce(0) { $0 + $1.count } }
    }

    private static func ranges(_ list: some StringProtocol) -> [ClosedRange<Int>]? {
        var ranges: [ClosedRange<Int>] = []
        var count = 0
        for range in list.prefix(while: { $0 != "\n" }).split(separator: ",", omittingEmptySubsequences: false) {
            let ends = range.split(separator: "-", omittingEmptySubsequences: false)
            guard (1...2).contains(ends.count), let first = FileNumber.natural(ends[0]),
                let last = FileNumber.natural(ends[ends.count - 1]), first <= last, last < most
            else { return nil }
            count += Int(last - first) + 1
            guard count <= most else { return nil }
            ranges.append(Int(first)...Int(last))
        }
        return count > 0 ? ranges : nil
    }

    /// Number of processors on which the main thread may run, from `/proc/self/status`.
    public static func allowed(status: String) -> Int? { allowedNumbers(status: status)?.count }

    /// Numbers of the processors on which the main thread may run, from `/proc/self/status`.
    public static func allowedNumbers(status: String) -> Set<Int>? {
        allowedList(status).flatMap { ranges($0) }.map { Set($0.joined()) }
    }

    private static func allowedList(_ status: String) -> Substring? {
        let name = "Cpus_allowed_list:"
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        return line.map { $0.dropFirst(name.count).drop { $0 == " " || $0 == "\t" } }
    }

    /// Mean number of processors that a control group may use, from `cpu.max` of version 2; nil without a limit.
    public static func quota(maximum: String) -> Double? {
        let words = maximum.prefix { $0 != "\n" }.split(separator: " ")
        return words.count == 2 ? quota(String(words[0]), period: String(words[1])) : nil
    }

    /// Mean number of processors from `cpu.cfs_quota_us` and `cpu.cfs_period_us` of version 1; nil without a limit.
    public static func quota(_ quota: String, period: String) -> Double? {
        guard let quota = FileNumber.natural(quota), let period = FileNumber.natural(period), quota > 0, period > 0
        else { return nil }
        return Double(quota) / Double(period)
    }
}
