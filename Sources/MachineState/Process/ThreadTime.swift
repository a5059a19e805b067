/// Values of the files of one thread; a value that was not read this time is nil.
///
/// Sources: the kernel's `Documentation/scheduler/sched-stats.rst`, and proc(5).
public struct ThreadTime: Sendable, Equatable {
    /// Kernel id of the thread.
    public let id: Int32
    /// CPU time since the start of the thread.
    public var time: Duration?
    /// Time for which the thread waited for a processor.
    public var waited: Duration?
    /// Name of the thread.
    public var name: String?

    /// Creates the values of one thread.
    public init(id: Int32, time: Duration? = nil, waited: Duration? = nil, name: String? = nil) {
        self.id = id
        self.time = time
        self.waited = waited
        self.name = name
    }

    /// Times of running and of waiting for a processor, from `/proc/self/task/<id>/schedstat`; nil for three zeros.
    ///
    /// Zeros mean that the kernel does not count CPU time, or that the thread has not run yet. The kernel adds a wait
    /// when the wait ends.
    public static func times(schedstat: String) -> (ran: Duration, waited: Duration)? {
        // A text without three numbers may be cut off, so it is refused.
        let words = schedstat.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, let ran = FileNumber.natural(words[0]), ran <= Int64.max,
            let waited = FileNumber.natural(words[1]), waited <= Int64.max,
            let slices = FileNumber.natural(words[2]), ran > 0 || slices > 0
        else { return nil }
        return (.nanoseconds(Int64(ran)), .nanoseconds(Int64(waited)))
    }

    /// CPU time of all threads, including ended ones, in `/proc/self/stat`, with an error of up to 20 ms.
    public static func processTime(stat: String) -> Duration? {
        // The name of the process is in parentheses and may contain parentheses.
        guard let name = stat.lastIndex(of: ")") else { return nil }
        let words = stat[name...].split(separator: " ")
        // The second word is field 3, the state.
        guard words.count > 13, let user = FileNumber.natural(words[12]), let system = FileNumber.natural(words[13])
        else { return nil }
        let (ticks, overflows) = user.addingReportingOverflow(system)
        guard !overflows, ticks < 1 << 53 else { return nil }
        // USER_HZ is 100 on every architecture that Swift runs on.
        return .milliseconds(Int64(ticks) * 10)
    }

    /// Name in `/proc/self/task/<id>/comm`, with `?` for control characters; nil if it is empty.
    public static func name(comm: String) -> String? {
        let line = comm.prefix { $0 != "\n" }.prefix(64)
        let name = String(line.map { $0.isASCII && ($0.asciiValue ?? 0) < 32 || $0 == "\u{7f}" ? "?" : $0 })
        return name.isEmpty ? nil : name
    }
}
