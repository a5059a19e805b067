import CProcessor
import Glibc

/// How much a thread may push others aside.
enum ThreadPriority: Int32, Sendable, CaseIterable, Equatable {
    /// As any thread.
    case normal
    /// A lower nice value.
    case high
    /// The scheduling policy `SCHED_RR`.
    case realtime
}

/// Scheduling of the calling thread.
///
/// Call it on the thread concerned; nothing here fails for good.
struct StreamingThread: Sendable {
    /// Below the kernel's own threads, and where audio servers are.
    private static let realtimePriority: Int32 = 49
    private static let highNiceness: Int32 = -10

    private let policy: Int32
    private let policyPriority: Int32
    private let niceness: Int32
    private let processors: CProcessorSet?

    /// Remembers how this thread is, so that it can be given back as it was.
    static func remember() -> Self {
        var priority: Int32 = 0
        let policy = unsafe cprocessor_get_policy(&priority)
        var processors = CProcessorSet()
        let hasProcessors = unsafe cprocessor_get_affinity(&processors)
        return Self(
            policy: policy, policyPriority: priority, niceness: cprocessor_get_niceness(),
            processors: hasProcessors ? processors : nil)
    }

    /// Gives this thread back as it was: threads are shared with others.
    func restore() {
        _ = cprocessor_set_policy(policy, policyPriority)
        _ = cprocessor_set_niceness(niceness)
        if var processors { _ = unsafe cprocessor_set_affinity(&processors) }
    }

    /// Asks for `priority`, or what comes nearest, and returns what this thread has now.
    static func raise(to priority: ThreadPriority) -> ThreadPriority {
        // Children do not inherit it: they may be anything.
        let resetOnFork: Int32 = 0x4000_0000
        if priority == .realtime, cprocessor_set_policy(SCHED_RR | resetOnFork, realtimePriority) {
            return .realtime
        }
        if priority != .normal, cprocessor_set_niceness(highNiceness) { return .high }
        return .normal
    }

    /// Keeps this thread on the processors named; false when it may not, or none of them exists.
    static func keep(on processors: [Int]) -> Bool {
        var set = CProcessorSet()
        for processor in processors where processor >= 0 {
            unsafe cprocessor_set_add(&set, UInt32(clamping: processor))
        }
        return unsafe cprocessor_set_affinity(&set)
    }
}
