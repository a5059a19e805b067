/// Values of the files of one thread.
///
/// The formats are described in the kernel's `Documentation/scheduler/sched-stats.rst` and in proc(5).
public struct ThreadTime: Sendable, Equatable {
    /// Kernel id of the thread.
    public let id: Int32
    /// CPU time since the thread was started; nil if it was not read this time.
    public var time: Duration?
    /// Time for which the thread was ready and had no processor; nil if it was not read this time.
    public var waited: Duration?
    /// Name of the thread; nil if it was not read this time.
    public var name: String?

    /// Creates the values of one thread.
    public init(id: Int32, time: Duration? = nil, waited: Duration? = nil, name: String? = nil) {
        self.id = id
        self.time = time
        self.waited = waited
        self.name = name
    }

    /// CPU time in `/proc/self/task/<id>/schedstat`; nil if the kernel does not count it.
    ///
    /// Such a kernel writes three zeros. A thread that has not run yet has them as well.
    public static func time(schedstat: String) -> Duration? { times(schedstat: schedstat)?.ran }

    /// Both times in `/proc/self/task/<id>/schedstat`: on a processor, and ready without one; nil as for `time`.
    ///
    /// The kernel adds a wait when it ends.
    public static func times(schedstat: String) -> (ran: Duration, waited: Duration)? {
        // Without the second number, the first may be cut off.
        let words = schedstat.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, let ran = FileNumber.natural(words[0]), ran <= Int64.max,
            let waited = FileNumber.natural(words[1]), waited <= Int64.max,
            let slices = FileNumber.natural(words[2]), ran > 0 || slices > 0
        else { return nil }
        return (.nanoseconds(Int64(ran)), .nanoseconds(Int64(waited)))
    }

    /// CPU time of all threads, also of those that have ended, in `/proc/self/stat`, to 20 ms.
    public static func processTime(stat: String) -> Duration? {
        // The name of the process stands in parentheses and may contain some.
        guard let name = stat.lastIndex(of: ")") else { return nil }
        let words = stat[name...].split(separator: " ")
        // The state, field 3, is the second word.
        guard words.count > 13, let user = FileNumber.natural(words[12]), let system = FileNumber.natural(words[13])
        else { return nil }
        let (ticks, overflows) = user.addingReportingOverflow(system)
        guard !overflows, ticks < 1 << 53 else { return nil }
        // USER_HZ is 100 on every architecture that Swift runs on.
        return .milliseconds(Int64(ticks) * 10)
    }

    /// Name in `/proc/self/task/<id>/comm`, without control characters; nil if it is empty.
    public static func name(comm: String) -> String? {
        let line = comm.prefix { $0 != "\n" }.prefix(64)
        let name = String(line.map { $0.isASCII && ($0.asciiValue ?? 0) < 32 || $0 == "\u{7f}" ? "?" : $0 })
        return name.isEmpty ? nil : name
    }
}
