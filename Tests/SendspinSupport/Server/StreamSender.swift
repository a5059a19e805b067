import Durations
@testable import SendspinProtocol

/// Sends the timeline of a server on one connection.
struct StreamSender {
    /// Position of the sender in the timeline.
    private struct Place {
        var generation: Int
        var segment: Int
        var chunk: Int
        var format: AudioFormat
    }

    /// A message or action whose time has come.
    enum Output {
        case message(ServerMessage)
        /// A chunk of a segment, which the caller must encode.
        case chunk(Int, Timeline.Segment)
        /// Playback begins or ends, so the caller must announce the activity and the group.
        case announcement(isPlaying: Bool)
        /// The stream has played to its end.
        case finished(generation: Int)
    }

    private var place: Place?
    /// End time and largest size of each chunk that was sent but has not played.
    private var outstanding: [(end: Duration, bytes: Int)] = []

    /// Returns the outputs whose time has come, or sets `deadline` to the server time of the next outputs.
    mutating func next(
        _ timeline: inout Timeline, now: Duration, sendAhead: Duration, capacity: Int, lead: Duration,
        deadline: inout Duration?
    ) -> [Output] {
        deadline = nil
        guard timeline.isPlaying, let first = timeline.firstSegment else {
            guard place != nil else { return [] }
            place = nil
            outstanding = []
            return [
                .message(.streamEnd(StreamScope(families: ["player"], serverTransmitted: now))),
                .announcement(isPlaying: false),
            ]
        }
        guard let current = place, current.generation == timeline.generation else {
            return start(timeline, first, now: now, lead: lead)
        }
        let segment = timeline.segments[current.segment]
        if let count = segment.chunkCount, current.chunk >= count {
            return finish(timeline, current, count, now: now, deadline: &deadline)
        }
        let time = segment.time(of: current.chunk)
        guard time - sendAhead <= now else {
            deadline = time - sendAhead
            return []
        }
        outstanding.removeAll { $0.end <= now }
        let size = segment.stream.largestPayload(of: current.chunk)
        let fill = outstanding.reduce(0) { $0 + $1.bytes }
        guard fill + size <= capacity || outstanding.isEmpty else {
            deadline = outstanding.first?.end
            return []
        }
        outstanding.append((segment.end(of: current.chunk), size))
        timeline.didSend(current.chunk, of: current.segment)
        place?.chunk += 1
        return [.chunk(current.chunk, segment)]
    }

    /// Begins the newest stream, or joins it if it plays already.
    private mutating func start(
        _ timeline: Timeline, _ first: Int, now: Duration, lead: Duration
    ) -> [Output] {
        let isPlaying = place != nil
        let oldFormat = place?.format
        var (index, chunk) = (first, 0)
        // A client that joins late begins at the first chunk that can still be sent in time.
        while timeline.segments[index].time(of: chunk) < now + lead, timeline.segments[first].start < now {
            chunk += 1
            let isOver = timeline.segments[index].chunkCount.map { chunk >= $0 } ?? false
            guard isOver else { continue }
            guard index + 1 < timeline.segments.count else { break }
            (index, chunk) = (index + 1, 0)
        }
        let stream = timeline.segments[index].stream
        place = Place(generation: timeline.generation, segment: index, chunk: chunk, format: stream.format)
        outstanding = []
        let start = Output.message(.streamStart(StreamStart(serverTransmitted: now, player: stream.start)))
        guard isPlaying else { return [.announcement(isPlaying: true), start] }
        let clear = Output.message(.streamClear(StreamScope(families: ["player"], serverTransmitted: now)))
        return oldFormat == stream.format ? [clear] : [clear, start]
    }

    /// Continues with the next segment, or waits for the end of the last one.
    private mutating func finish(
        _ timeline: Timeline, _ current: Place, _ count: Int, now: Duration, deadline: inout Duration?
    ) -> [Output] {
        let next = current.segment + 1
        guard next < timeline.segments.count else {
            let segment = timeline.segments[current.segment]
            let end = count > 0 ? segment.end(of: count - 1) : segment.start
            guard now < end else { return [.finished(generation: current.generation)] }
            deadline = end
            return []
        }
        let stream = timeline.segments[next].stream
        place = Place(generation: current.generation, segment: next, chunk: 0, format: stream.format)
        return [.message(.streamStart(StreamStart(serverTransmitted: now, player: stream.start)))]
    }
}
