import CSystem

/// Number of forks between the process that loaded this object and the calling process.
///
/// The threads of a process with another number, and their work, do not exist in the calling process.
public enum ForkCount {
    /// Number of forks for the calling process.
    public static var now: UInt32 { cthreads_fork_count() }
}
