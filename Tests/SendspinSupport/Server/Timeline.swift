import Durations

/// The streams that a fake server plays, in server time.
struct Timeline: Sendable {
    /// A stream from its start, or from a change of its format or position.
    struct Segment: Sendable {
        var stream: FakeStream
        /// Time of the first frame.
        var start: Duration
        /// Index of the first frame in the signal.
        var firstIndex: Int64
        /// Number of chunks, if another segment follows; nil if this segment is the last one.
        var chunkLimit: Int?
        /// Number of chunks that were sent on the connection that is furthest ahead.
        var sentCount = 0
        /// Number that increases with each segment that begins a new stream or a new position.
        var generation: Int

        init(stream: FakeStream, start: Duration, firstIndex: Int64, generation: Int) {
            self.stream = stream
            self.start = start
            self.firstIndex = firstIndex
            self.generation = generation
        }

        /// Number of chunks of the segment; nil if the segment is endless.
        var chunkCount: Int? {
            switch (chunkLimit, stream.chunkCount) {
            case (let limit?, let count?): min(limit, count)
            case (let limit, let count): limit ?? count
            }
        }

        /// Time of the first frame of a chunk.
        func time(of chunk: Int) -> Duration { start + stream.time(of: stream.frames(of: chunk).lowerBound) }

        /// Time at which the last frame of a chunk ends.
        func end(of chunk: Int) -> Duration { start + stream.time(of: stream.frames(of: chunk).upperBound) }
    }

    private(set) var segments: [Segment] = []
    private(set) var generation = 0
    /// Whether a stream plays, which connections that join later also receive.
    private(set) var isPlaying = false

    var last: Segment? { segments.last }

    /// Starts a stream.
    mutating func play(_ stream: FakeStream, at start: Duration, firstIndex: Int64) {
        generation += 1
        isPlaying = true
        segments.append(Segment(stream: stream, start: start, firstIndex: firstIndex, generation: generation))
    }

    /// Changes the format after the chunks that have been sent, and returns the new segment.
    mutating func change(to stream: FakeStream) -> Segment? {
        guard isPlaying, let last = segments.last else { return nil }
        let count = last.chunkCount.map { min($0, last.sentCount) } ?? last.sentCount
        segments[segments.count - 1].chunkLimit = count
        let frames = last.stream.frames(of: count).lowerBound
        let segment = Segment(
            stream: stream, start: last.start + last.stream.time(of: frames), firstIndex: last.firstIndex + frames,
            generation: generation)
        segments.append(segment)
        return segment
    }

    mutating func didSend(_ chunk: Int, of segment: Int) {
        segments[segment].sentCount = max(segments[segment].sentCount, chunk + 1)
    }

    /// Moves the current stream after a step of the clock, except chunks that were already sent.
    mutating func shift(by amount: Duration) {
        guard isPlaying else { return }
        for index in segments.indices where segments[index].generation == generation {
            segments[index].start += amount
        }
    }

    mutating func end() {
        generation += 1
        isPlaying = false
    }

    /// Index of the first segment of the current generation.
    var firstSegment: Int? { segments.firstIndex { $0.generation == generation } }
}
