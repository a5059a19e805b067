import CSystem

/// The number of forks between the process that loaded this shared object and the calling process.
///
/// A thread, and what it was to do, does not exist in a process with another number.
public enum ForkCount {
    /// The number of the calling process.
    public static var now: UInt32 { cthreads_fork_count() }
}
