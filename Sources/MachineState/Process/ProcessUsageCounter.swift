/// Computes the usage of a process from the times of its threads; the caller passes the time.
///
/// The kernel reuses ids. If the time of an id falls, a new thread has the id. A new thread that has used more time in
/// one interval than the old one in its life is not detected, so the usage is too small by the time of the old thread.
public struct ProcessUsageCounter: Sendable {
    private struct Known {
        var usage: ThreadUsage
        var readAt: Duration
        /// Time at which the wait was read; nil before the first time.
        var waitReadAt: Duration?
        /// Number of the reading in which the thread was last listed.
        var listed: Int
    }

    /// A reading after a shorter interval returns the previous result, because its quotient would be noise.
    private static let shortestInterval = Duration.milliseconds(1)

    private var known: [Int32: Known] = [:]
    private var ended = Duration.zero
    /// Sum of the waits of all threads since the first reading; nil if unknown.
    private var waited: Duration?
    private var reading = 0
    private var readAt: Duration?
    private var wasComplete = false
    private var missedThreads = false
    private var last = ProcessUsage()

    /// Creates a counter without readings.
    public init() {}

    /// Whether the name of a thread is known.
    public func hasName(_ id: Int32) -> Bool { known[id].map { !$0.usage.name.isEmpty } ?? false }

    /// Adds one reading; `processors` is the number of processors of the machine.
    ///
    /// `total` is the time of the process. If it is nil, the sum of all threads is used, which lacks the time between
    /// the last reading and the end of a thread. `isComplete` is false if the process has more threads than `threads`.
    public mutating func record(
        total: Duration?, threads: [ThreadTime], isComplete: Bool, processors: Int?, at now: Duration
    ) -> ProcessUsage {
        if let readAt, now >= readAt, now - readAt < Self.shortestInterval { return last }
        let elapsed = readAt.flatMap { now > $0 ? now - $0 : nil }
        reading &+= 1
        missedThreads = missedThreads || !isComplete
        var usage = ProcessUsage()
        usage.hasAllThreads = isComplete
        usage.threads.reserveCapacity(threads.count)
        for thread in threads {
            let (thread, wait) = record(thread, elapsed: elapsed, at: now)
            if let thread { usage.threads.append(thread) }
            if let wait { waited = (waited ?? .zero) + wait }
        }
        removeUnlisted()
        usage.waited = waited
        let waits = usage.threads.compactMap(\.waiting)
        usage.waiting = waits.isEmpty ? nil : waits.reduce(0, +)
        let time = total ?? (missedThreads || known.isEmpty ? nil : known.values.reduce(ended) { $0 + $1.usage.time })
        usage.time = time.map { max($0, last.time ?? .zero) } ?? last.time
        if let time, let before = last.time, let elapsed {
            usage.cores = Self.cores(time - before, in: elapsed, atMost: processors ?? max(threads.count, 1))
        }
        readAt = now
        wasComplete = isComplete
        last = usage
        return usage
    }

    /// Returns the usage of a thread, and the wait that it adds to the wait of the process.
    private mutating func record(
        _ thread: ThreadTime, elapsed: Duration?, at now: Duration
    ) -> (usage: ThreadUsage?, wait: Duration?) {
        guard var entry = known[thread.id] else {
            guard let time = thread.time else { return (nil, nil) }
            // A thread that the last reading did not list has used all of its time since that reading.
            let since = wasComplete ? elapsed : nil
            let usage = ThreadUsage(
                id: thread.id, name: thread.name ?? "", time: time,
                cores: since.map { Self.cores(time, in: $0, atMost: 1) }, waited: thread.waited,
                waiting: since.flatMap { since in thread.waited.map { Self.cores($0, in: since, atMost: 1) } })
            known[thread.id] = Known(
                usage: usage, readAt: now, waitReadAt: thread.waited == nil ? nil : now, listed: reading)
            return (usage, since == nil ? thread.waited.map { _ in .zero } : thread.waited)
        }
        if let time = thread.time {
            if time < entry.usage.time {
                ended += entry.usage.time
                entry.usage.time = .zero
                entry.usage.waited = entry.usage.waited.map { _ in .zero }
                entry.usage.name = ""
            }
            let used = time - entry.usage.time
            entry.usage.cores = now > entry.readAt ? Self.cores(used, in: now - entry.readAt, atMost: 1) : nil
            entry.usage.time = time
            entry.readAt = now
        }
        if let name = thread.name { entry.usage.name = name }
        let wait = Self.recordWait(thread, in: &entry, at: now)
        entry.listed = reading
        known[thread.id] = entry
        return (entry.usage, wait)
    }

    /// Returns the wait since the last reading; a wait that falls belongs to a new thread with the same id.
    private static func recordWait(_ thread: ThreadTime, in entry: inout Known, at now: Duration) -> Duration? {
        guard let waited = thread.waited else { return nil }
        let before = entry.usage.waited.map { waited < $0 ? .zero : $0 }
        entry.usage.waited = waited
        defer { entry.waitReadAt = now }
        guard let before, let readAt = entry.waitReadAt, now > readAt else { return .zero }
        entry.usage.waiting = cores(waited - before, in: now - readAt, atMost: 1)
        return waited - before
    }

    private mutating func removeUnlisted() {
        for (id, entry) in known where entry.listed != reading {
            ended += entry.usage.time
            known[id] = nil
        }
    }

    private static func cores(_ used: Duration, in elapsed: Duration, atMost most: Int) -> Double {
        elapsed > .zero ? min(max(used / elapsed, 0), Double(most)) : 0
    }
}
