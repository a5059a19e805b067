import TestSupport
import Durations
import SendspinProtocol
import Testing

/// Compares the chunk buffer with a simple model under random operations.
@Suite struct ChunkBufferModelTests {
    /// A simple model of the buffer: a sorted array.
    private struct Model {
        struct Chunk: Equatable {
            var id: Int
            var start: Int
            var length: Int
            var format: Int
        }

        static let capacity = 2000
        static let lead = 50
        var chunks: [Chunk] = []
        var format = 0
        var shownFormat = 0
        var position: Int?
        var returnedEnd: Int?

        mutating func insert(_ chunk: Chunk, now: Int) -> ChunkAdmission {
            if chunk.start + chunk.length <= now { return .late }
            if format != shownFormat, !chunks.contains(where: { $0.format == format }) {
                chunks.removeAll { $0.start + 1 > chunk.start }
            }
            // Chunks are ordered by format, then by timestamp.
            let before = chunks.last { $0.format < chunk.format || $0.start <= chunk.start }
            let after = chunks.first { $0.format == chunk.format && $0.start > chunk.start }
            if let before {
                if before.start == chunk.start { return .duplicate }
                if before.start + before.length - 1 > chunk.start { return .overlapping }
            } else if let returnedEnd, chunk.start < returnedEnd - 1 {
                return chunk.start + chunk.length <= returnedEnd + 1 ? .duplicate : .overlapping
            }
            if let after, chunk.start + chunk.length - 1 > after.start { return .overlapping }
            if (chunks.count + 1) * 100 > Self.capacity { return .full }
            chunks.append(chunk)
            chunks.sort { ($0.format, $0.start) < ($1.format, $1.start) }
            return .accepted
        }

        mutating func next(at now: Int) -> String {
            chunks.removeFirst(chunks.prefix { $0.start + $0.length <= now }.count)
            guard let first = chunks.first else { return "wait" }
            if let position, first.start > position + 1 {
                if now < position - Self.lead { return "wait \(position - Self.lead)" }
                defer { self.position = first.start }
                return "gap \(position) \(first.start)"
            }
            if now < first.start - Self.lead { return "wait \(first.start - Self.lead)" }
            if first.format != shownFormat {
                shownFormat = first.format
                return "format \(first.format)"
            }
            position = first.start + first.length
            returnedEnd = position
            return "chunk \(chunks.removeFirst().id)"
        }
    }

    private static func describe(_ next: ChunkBuffer<Int, Int>.Next) -> String {
        func milliseconds(_ time: Duration) -> Int { Int((time.inSeconds * 1000).rounded()) }
        return switch next {
        case .chunk(let chunk): "chunk \(chunk.payload)"
        case .format(let format): "format \(format)"
        case .wait(nil): "wait"
        case .wait(let time?): "wait \(milliseconds(time))"
        case .gap(let start, let end): "gap \(milliseconds(start)) \(milliseconds(end))"
        }
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func behavesAsASortedArray(seed: UInt64) {
        var random = Random(seed: seed)
        var buffer = ChunkBuffer<Int, Int>(
            capacity: Model.capacity, lead: .milliseconds(Model.lead), chunkCost: 0, memoryLimit: Model.capacity)
        var model = Model()
        var now = 0
        var time = 100
        for id in 0..<3000 {
            switch Int.random(in: 0..<100, using: &random) {
            case ..<45:
                // Chunks mostly arrive in order, with gaps, repetitions and jumps.
                let length = Int.random(in: 5...40, using: &random)
                let start =
                    Int.random(in: 0..<8, using: &random) == 0
                    ? time + Int.random(in: -300...300, using: &random) : time
                time = start + length
                let expected = model.insert(
                    .init(id: id, start: start, length: length, format: model.format), now: now)
                let admission = buffer.insert(
                    id, timestamp: .milliseconds(start), duration: .milliseconds(length), bytes: 100,
                    now: .milliseconds(now))
                #expect(admission == expected, "\(seed): \(id)")
            case ..<90:
                let expected = model.next(at: now)
                #expect(Self.describe(buffer.next(at: .milliseconds(now))) == expected, "\(seed): \(id)")
            case ..<96: now += Int.random(in: 0...60, using: &random)
            case ..<98:
                buffer.setFormat(model.format + 1)
                model.format += 1
            case 98:
                buffer.clear()
                model.chunks = []
                model.position = nil
                model.returnedEnd = nil
                time = now + 60
            default:
                time = now + 60
                buffer.reset()
                model = Model()
            }
            #expect(buffer.count == model.chunks.count)
            #expect(buffer.bytes == 100 * model.chunks.count)
        }
        let counts = buffer.counts
        #expect(
            counts.accepted == counts.returned + counts.lateInBuffer + counts.replaced + counts.cleared + buffer.count)
        #expect(counts.returned > 50)
    }
}
