/// CPU time of one thread, and the time for which it waited for a processor.
public struct ThreadUsage: Sendable, Equatable {
    /// Kernel id of the thread, which a later thread may reuse.
    public let id: Int32
    /// Name of the thread, at most 15 bytes; a GStreamer task uses the name of its pad; empty if unknown.
    public var name: String
    /// CPU time since the start of the thread.
    public var time: Duration
    /// Processors used since the last reading, from 0 to 1; nil at the first reading.
    public var cores: Double?
    /// Time since the start of the thread for which it waited for a processor; nil if it cannot be read.
    public var waited: Duration?
    /// Share of the time since the last reading for which the thread waited for a processor; nil at the first reading.
    public var waiting: Double?
}

/// CPU time of the process and of its threads.
public struct ProcessUsage: Sendable, Equatable {
    /// CPU time of all threads, including ended ones, which only rises; nil if it cannot be read.
    public var time: Duration?
    /// Processors used since the last reading, from 0 to the number of processors; nil at the first reading.
    public var cores: Double?
    /// Time for which threads waited for a processor since the first reading, which only rises; nil if it is unknown.
    public var waited: Duration?
    /// Mean number of threads that waited for a processor since the last reading; nil at the first reading.
    public var waiting: Double?
    /// Processors that the process may use: its affinity, or the quota of its control groups if that is less.
    public var processors: Double?
    /// Threads whose times are known, in the order of the kernel.
    public var threads: [ThreadUsage] = []
    /// Whether `threads` contains all threads; the number of threads in a reading is limited.
    public var hasAllThreads = false

    /// Creates a usage with unknown values.
    public init() {}

    /// Sum of the processors that the threads `ids` used; nil if no value is known for any of them.
    public func cores(of ids: Set<Int32>) -> Double? { sum(of: ids, \.cores) }

    /// Mean number of the threads `ids` that waited for a processor; nil if no value is known for any of them.
    public func waiting(of ids: Set<Int32>) -> Double? { sum(of: ids, \.waiting) }

    private func sum(of ids: Set<Int32>, _ figure: (ThreadUsage) -> Double?) -> Double? {
        var sum: Double?
        for thread in threads where ids.contains(thread.id) {
            if let value = figure(thread) { sum = (sum ?? 0) + value }
        }
        return sum
    }
}

extension ProcessUsage {
    /// Memory of a process in bytes; a value that cannot be read is nil.
    ///
    /// Source: proc(5).
    public struct Memory: Sendable, Equatable {
        /// Present resident memory, including all shared memory.
        public let resident: UInt64?
        /// Largest resident memory so far.
        public let peak: UInt64?

        /// Parses `/proc/self/status`.
        public init(status: String) {
            let resident = FileNumber.kilobytes("VmRSS", status)
            self.resident = resident
            // The kernel updates the peak later than the resident memory.
            peak = FileNumber.kilobytes("VmHWM", status).map { max($0, resident ?? 0) }
        }
    }
}
