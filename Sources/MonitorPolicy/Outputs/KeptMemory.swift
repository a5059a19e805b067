/// Memory that the process keeps after raw frames that had piled up in a queue have left it.
public struct KeptMemory: Sendable, Equatable {
    /// Name of the queue.
    public var queue: String
    /// The memory, in bytes.
    public var bytes: UInt64
}
