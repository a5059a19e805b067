/// Reason why a trace cannot be recorded.
public enum TraceError: Error, CustomStringConvertible {
    /// Another trace is being recorded; a process can record one trace at a time.
    case alreadyRecording
    /// The kernel could not map memory for the rings.
    case noMemory
    /// The process has as many thread-specific keys as the C library allows.
    case noThreadKey

    /// Describes the fault and the remedy to the user, in one sentence.
    public var description: String {
        switch self {
        case .alreadyRecording: "another trace is being recorded in this process; stop it first"
        case .noMemory:
            "32 MB of address space could not be reserved for the trace; raise the memory limit (ulimit -v)"
        case .noThreadKey: "the process uses all thread-specific keys of the C library; record in a process of its own"
        }
    }
}
