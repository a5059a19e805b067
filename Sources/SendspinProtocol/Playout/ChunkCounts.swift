import Durations

/// Counts of the chunks of a buffer since it was created.
public struct ChunkCounts: Sendable, Equatable {
    /// Chunks that entered the buffer.
    public var accepted = 0
    /// Chunks that left the buffer in time.
    public var returned = 0
    /// Chunks refused because they were late.
    public var lateAtArrival = 0
    /// Chunks discarded because they became late in the buffer.
    public var lateInBuffer = 0
    /// Chunks refused because the buffer was full.
    public var refused = 0
    /// Chunks refused because their audio was already in the buffer or had been returned.
    public var duplicates = 0
    /// Chunks refused because they overlap another one.
    public var overlaps = 0
    /// Chunks discarded because chunks of a new format replaced them.
    public var replaced = 0
    /// Chunks discarded by `clear`.
    public var cleared = 0
    /// Gaps that the buffer has returned.
    public var gaps = 0
    /// Total duration of the returned gaps.
    public var gapTime = Duration.zero
}
