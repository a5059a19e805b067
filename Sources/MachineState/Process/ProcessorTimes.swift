/// How long each processor of the machine was busy since it was started, from `/proc/stat`.
///
/// The format is described in proc(5).
public struct ProcessorTimes: Sendable, Equatable {
    /// Times of one processor, in ticks of 10 ms.
    struct Ticks: Sendable, Equatable {
        /// Time in which it ran programs or the kernel.
        var busy: UInt64
        /// Time that a hypervisor gave to other machines although it was wanted here.
        var stolen: UInt64
        /// Time in all.
        var total: UInt64
    }

    private(set) var processors: [Int: Ticks] = [:]

    /// Reads the lines of processors in `/proc/stat`, or in its beginning; other lines are left out.
    public init(stat: String) {
        // The last line may be cut off.
        for line in stat.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            guard line.hasPrefix("cpu") else { continue }
            let words = line.dropFirst(3).split(separator: " ", omittingEmptySubsequences: false)
            guard words.count >= 9, let number = FileNumber.natural(words[0]), number < 65_536 else { continue }
            processors[Int(number)] = Self.ticks(words.dropFirst())
        }
    }

    /// user, nice, system, idle, iowait, irq, softirq, steal; guests are part of user.
    private static func ticks(_ words: ArraySlice<Substring>) -> Ticks? {
        let values = words.prefix(8).compactMap { FileNumber.natural($0) }
        guard values.count == 8, values.allSatisfy({ $0 < 1 << 56 }) else { return nil }
        let busy = values[0] + values[1] + values[2] + values[5] + values[6]
        return Ticks(busy: busy, stolen: values[7], total: busy + values[3] + values[4] + values[7])
    }

    /// How busy processors were between two readings.
    ///
    /// `usable` are the numbers of the processors that count; nil for all. The result is nil without such a processor,
    /// and if the times have not risen.
    public func load(since before: ProcessorTimes, among usable: Set<Int>? = nil) -> ProcessorLoad? {
        var load = ProcessorLoad()
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

/// How busy the processors are, with all programs of the machine.
public struct ProcessorLoad: Sendable, Equatable {
    /// Number of processors that were measured.
    public var processors = 0
    /// How many of them were busy on average.
    public var busy = 0.0
    /// How many of them a hypervisor withheld on average.
    public var stolen = 0.0
}

/// Time in which some thread of the machine waited for a processor, from `/proc/pressure/cpu`.
///
/// The format is described in the kernel's `Documentation/accounting/psi.rst`.
public enum ProcessorPressure {
    /// The time since the machine was started; nil if the text is not such a file.
    public static func total(_ text: String) -> Duration? {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.first == "some", let word = words.last, word.hasPrefix("total="),
                let total = FileNumber.natural(word.dropFirst(6)), total <= Int64.max
            else { continue }
            return .microseconds(Int64(total))
        }
        return nil
    }
}
