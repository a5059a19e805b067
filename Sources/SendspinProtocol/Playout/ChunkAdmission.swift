/// Result of the insertion of a chunk.
public enum ChunkAdmission: Sendable, Equatable {
    /// The chunk is waiting for its time.
    case accepted
    /// The chunk's time has passed.
    case late
    /// The buffer is full; the server has exceeded the announced capacity.
    case full
    /// A chunk with this timestamp is in the buffer or was returned.
    case duplicate
    /// The chunk overlaps another one.
    case overlapping
}
