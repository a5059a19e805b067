/// Memory of a process in bytes; a value that cannot be read is nil.
///
/// Sources: proc(5), and the kernel's `Documentation/filesystems/proc.rst`.
public struct ProcessMemory: Sendable, Equatable {
    /// Present resident memory, including all shared memory.
    public var resident: UInt64?
    /// Largest resident memory so far.
    public var peak: UInt64?
    /// Memory in swap.
    public var swapped: UInt64?
    /// Resident memory in which a page shared by n processes counts as 1/n.
    public var proportional: UInt64?
    /// Resident memory that no other process shares, and that becomes free when the process ends.
    public var unshared: UInt64?
    /// Time at which `proportional` and `unshared` were read; not every reading includes them.
    public var sharesReadAt: Duration?

    /// Creates values that are unknown.
    public init() {}

    /// Parses `/proc/self/status`.
    public init(status: String) {
        resident = FileNumber.kilobytes("VmRSS", status)
        // The kernel updates the peak later than the resident memory.
        peak = FileNumber.kilobytes("VmHWM", status).map { max($0, resident ?? 0) }
        swapped = FileNumber.kilobytes("VmSwap", status)
    }

    /// Adds the content of `/proc/self/smaps_rollup`, read at `now`.
    public mutating func addShares(rollup: String, at now: Duration) {
        proportional = FileNumber.kilobytes("Pss", rollup)
        let parts = ["Private_Clean", "Private_Dirty"].compactMap { FileNumber.kilobytes($0, rollup) }
        let huge = FileNumber.kilobytes("Private_Hugetlb", rollup) ?? 0
        unshared = parts.count == 2 ? (parts + [huge]).reduce(0) { $0.addingReportingOverflow($1).partialValue } : nil
        sharesReadAt = proportional == nil && unshared == nil ? nil : now
    }
}
