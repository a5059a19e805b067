import CSystem
import Glibc

/// Scheduling priority of a thread.
enum ThreadPriority: Int32, Sendable, CaseIterable, Equatable {
    case normal
    /// Nice value `highNiceness`.
    case high
    /// Scheduling policy `SCHED_RR`.
    case realtime
}

/// Scheduling of the calling thread; a request that the system refuses has no effect.
struct StreamingThread: Sendable {
    /// Below the priority of kernel threads (50 and above); audio servers use a similar value.
    private static let realtimePriority: Int32 = 49
    private static let highNiceness: Int32 = -10

    private let policy: Int32
    private let policyPriority: Int32
    private let niceness: Int32
    private let processors: CProcessorSet?

    /// Returns the scheduling of the calling thread, for `restore`.
    static func current() -> Self {
        var priority: Int32 = 0
        let policy = unsafe cprocessor_get_policy(&priority)
        var processors = CProcessorSet()
        let hasProcessors = unsafe cprocessor_get_affinity(&processors)
        return Self(
            policy: policy, policyPriority: priority, niceness: cprocessor_get_niceness(),
            processors: hasProcessors ? processors : nil)
    }

    /// Restores this scheduling, because a task pool may reuse the thread.
    func restore() {
        _ = cprocessor_set_policy(policy, policyPriority)
        _ = cprocessor_set_niceness(niceness)
        if var processors { _ = unsafe cprocessor_set_affinity(&processors) }
    }

    /// Requests `priority`, or the next lower priority if it is refused; returns the granted priority.
    static func raise(to priority: ThreadPriority) -> ThreadPriority {
        // SCHED_RESET_ON_FORK: child threads and processes do not inherit the policy.
        let resetOnFork: Int32 = 0x4000_0000
        if priority == .realtime, cprocessor_set_policy(SCHED_RR | resetOnFork, realtimePriority) {
            return .realtime
        }
        if priority != .normal, cprocessor_set_niceness(highNiceness) { return .high }
        return .normal
    }

    /// Restricts the calling thread to `processors`; false if the system refuses or none of them exists.
    static func pin(to processors: [Int]) -> Bool {
        var set = CProcessorSet()
        for processor in processors where processor >= 0 {
            unsafe cprocessor_set_add(&set, UInt32(clamping: processor))
        }
        return unsafe cprocessor_set_affinity(&set)
    }
}
