/// Memory of a process in bytes; nil is what cannot be read.
///
/// The formats are described in proc(5) and the kernel's `Documentation/filesystems/proc.rst`.
public struct ProcessMemory: Sendable, Equatable {
    /// Resident memory now, with all of what is shared.
    public var resident: UInt64?
    /// Largest resident memory so far.
    public var peak: UInt64?
    /// Memory that was moved to swap.
    public var swapped: UInt64?
    /// Resident memory in which a page shared by several processes counts for its part.
    public var proportional: UInt64?
    /// Resident memory that no other process shares, which would be free if the process ended.
    public var unshared: UInt64?
    /// When `proportional` and `unshared` were read, which is not each time.
    public var sharesReadAt: Duration?

    /// Creates the memory of a process about which nothing is known.
    public init() {}

    /// Reads `/proc/self/status`.
    public init(status: String) {
        resident = FileNumber.kilobytes("VmRSS", status)
        // The kernel updates the peak later than the resident memory.
        peak = FileNumber.kilobytes("VmHWM", status).map { max($0, resident ?? 0) }
        swapped = FileNumber.kilobytes("VmSwap", status)
    }

    /// Adds `/proc/self/smaps_rollup`, which was read at `now`.
    public mutating func addShares(rollup: String, at now: Duration) {
        proportional = FileNumber.kilobytes("Pss", rollup)
        let parts = ["Private_Clean", "Private_Dirty"].compactMap { FileNumber.kilobytes($0, rollup) }
        let huge = FileNumber.kilobytes("Private_Hugetlb", rollup) ?? 0
        unshared = parts.count == 2 ? (parts + [huge]).reduce(0) { $0.addingReportingOverflow($1).partialValue } : nil
        sharesReadAt = proportional == nil && unshared == nil ? nil : now
    }
}
