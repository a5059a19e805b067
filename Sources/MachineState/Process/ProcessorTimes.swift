/// Busy time of each processor of the machine since its start, from `/proc/stat`.
///
/// Source: proc(5).
public struct ProcessorTimes: Sendable, Equatable {
    /// Times of one processor, in ticks of 10 ms.
    struct Ticks: Sendable, Equatable {
        /// Time in which the processor ran programs or the kernel.
        var busy: UInt64
        /// Time that a hypervisor withheld although a thread was ready.
        var stolen: UInt64
        var total: UInt64
    }

    /// Load of the processors by all programs of the machine.
    public struct Load: Sendable, Equatable {
        /// Number of measured processors.
        public var processors = 0
        /// Mean number of busy processors.
        public var busy = 0.0
        /// Mean number of processors that a hypervisor withheld.
        public var stolen = 0.0
    }

    private(set) var processors: [Int: Ticks] = [:]

    /// Parses the lines of processors in `/proc/stat`, or in its beginning; ignores other lines.
    public init(stat: String) {
        // The last line may be cut off, so it is ignored.
        for line in stat.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            guard line.hasPrefix("cpu") else { continue }
            let words = line.dropFirst(3).split(separator: " ", omittingEmptySubsequences: false)
            guard words.count >= 9, let number = FileNumber.natural(words[0]), number < 65_536 else { continue }
            processors[Int(number)] = Self.ticks(words.dropFirst())
        }
    }

    /// Fields: user, nice, system, idle, iowait, irq, softirq, steal; user includes guests.
    private static func ticks(_ words: ArraySlice<Substring>) -> Ticks? {
        let values = words.prefix(8).compactMap { FileNumber.natural($0) }
        guard values.count == 8, values.allSatisfy({ $0 < 1 << 56 }) else { return nil }
        let busy = values[0] + values[1] + values[2] + values[5] + values[6]
        return Ticks(busy: busy, stolen: values[7], total: busy + values[3] + values[4] + values[7])
    }

    /// Time since the start of the machine in which some thread waited for a processor, from `/proc/pressure/cpu`.
    public static func waited(pressure: String) -> Duration? {
        let total = FileNumber.pressure("total", pressure).flatMap { FileNumber.natural($0) }
        return total.flatMap { Int64(exactly: $0) }.map { Duration.microseconds($0) }
    }

    /// Load of the processors between two readings; nil if the time of no processor has risen.
    ///
    /// Only the processors with the numbers `usable` count; if `usable` is nil, all processors count.
    public func load(since before: ProcessorTimes, among usable: Set<Int>? = nil) -> Load? {
        var load = Load()
        for (number, ticks) in processors where usable?.contains(number) ?? true {
            guard let old = before.processors[number], ticks.total > old.total else { continue }
            let total = Double(ticks.total - old.total)
            let share = { (new: UInt64, old: UInt64) in new > old ? min(Double(new - old) / total, 1) : 0 }
            load.processors += 1
            load.busy += share(ticks.busy, old.busy)
            load.stolen += share(ticks.stolen, old.stolen)
        }
        return load.processors > 0 ? load : nil
    }
}
