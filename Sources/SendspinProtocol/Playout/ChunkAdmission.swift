/// Result of the insertion of a chunk.
public enum ChunkAdmission: Sendable, Equatable {
    /// The chunk is waiting for its time.
    case accepted
    /// The chunk's time has passed.
    case late
    /// The buffer is full; the server has exceeded the announced capacity.
    case full
    /// The buffer contains a chunk with this timestamp, or has already returned the audio of this time.
    case duplicate
    /// The chunk overlaps another one.
    case overlapping
}
