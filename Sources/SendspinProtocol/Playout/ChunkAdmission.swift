/// Result of the insertion of a chunk.
public enum ChunkAdmission: Sendable, Equatable {
    /// The chunk is waiting for its time.
    case accepted
    /// Its time has passed.
    case late
    /// The buffer is full, although the server knows its capacity.
    case full
    /// A chunk with this timestamp is waiting or was returned.
    case duplicate
    /// It overlaps another chunk.
    case overlapping
    /// The buffer is closed.
    case closed
}
