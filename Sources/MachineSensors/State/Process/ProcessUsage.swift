/// CPU time of one thread.
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

    /// Creates the usage of a thread.
    public init(id: Int32, name: String = "", time: Duration = .zero, cores: Double? = nil) {
        self.id = id
        self.name = name
        self.time = time
        self.cores = cores
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
    public func cores(of ids: Set<Int32>) -> Double? {
        var sum: Double?
        for thread in threads where ids.contains(thread.id) {
            if let cores = thread.cores { sum = (sum ?? 0) + cores }
        }
        return sum
    }
}
