/// Memory that the process keeps after raw frames have left a queue in which they piled up.
public struct KeptMemory: Sendable, Equatable {
    /// Name of the queue.
    public var queue: String
    /// Size of the memory, in bytes.
    public var bytes: UInt64
}
