/// CPU time of one thread, and the time for which it had to wait for a processor.
public struct ThreadUsage: Sendable, Equatable, Identifiable {
    /// Kernel id of the thread, which another thread may have later.
    public let id: Int32
    /// Name of the thread; empty if it is not known yet.
    ///
    /// A GStreamer task names its thread after the pad, cut to 15 bytes.
    public var name: String
    /// CPU time since the thread was started.
    public var time: Duration
    /// Processors used since the last reading, from 0 to 1; nil if there was none.
    public var cores: Double?
    /// Time for which it was ready and had no processor, since the thread was started; nil if that cannot be read.
    public var waited: Duration?
    /// Share of the time since the last reading for which it was ready and had no processor; nil if there was none.
    public var waiting: Double?

    /// Creates the usage of a thread.
    public init(
        id: Int32, name: String = "", time: Duration = .zero, cores: Double? = nil, waited: Duration? = nil,
        waiting: Double? = nil
    ) {
        self.id = id
        self.name = name
        self.time = time
        self.cores = cores
        self.waited = waited
        self.waiting = waiting
    }
}

/// CPU time of the process and of its threads.
public struct ProcessUsage: Sendable, Equatable {
    /// CPU time of all threads, also of those that have ended.
    ///
    /// It only rises. Nil if it cannot be read.
    public var time: Duration?
    /// Processors used since the last reading: 1.0 is one core.
    ///
    /// Nil if there was none. Never below 0, nor above the number of processors of the machine.
    public var cores: Double?
    /// Time for which threads were ready and had no processor, added up since the first reading.
    ///
    /// It only rises. Nil if it cannot be read.
    public var waited: Duration?
    /// Threads that were ready and had no processor, on average since the last reading; nil if there was none.
    public var waiting: Double?
    /// Processors that the process may use: its affinity, or the quota of its control groups if that is less.
    public var processors: Double?
    /// The threads whose times are known, in the order of the kernel.
    public var threads: [ThreadUsage]
    /// Whether `threads` are all; false if there are more than are read.
    public var hasAllThreads: Bool

    /// Creates the usage of a process about which nothing is known.
    public init() {
        threads = []
        hasAllThreads = false
    }

    /// Processors that some of the threads used together; nil if none of them is known.
    public func cores(of ids: Set<Int32>) -> Double? { sum(of: ids, \.cores) }

    /// Threads of some that were ready and had no processor, on average; nil if none of them is known.
    public func waiting(of ids: Set<Int32>) -> Double? { sum(of: ids, \.waiting) }

    private func sum(of ids: Set<Int32>, _ figure: (ThreadUsage) -> Double?) -> Double? {
        var sum: Double?
        for thread in threads where ids.contains(thread.id) {
            if let value = figure(thread) { sum = (sum ?? 0) + value }
        }
        return sum
    }
}
