import Durations
@testable import SendspinProtocol
import SendspinSupport
import TestSupport
import Testing

/// Captured audio between the streaming thread and the network.
@Suite struct CaptureQueueTests {
    /// Mono with 16 bits at 1 kHz: a frame has 2 bytes and 1 ms, and a chunk 20 frames.
    static let format = CaptureFormat(.pcm, channels: 1, sampleRate: 1000)!

    private func queue(_ format: CaptureFormat = format) -> CaptureQueue {
        var queue = CaptureQueue()
        queue.begin(format)
        #expect(queue.next() == .format(format))
        return queue
    }

    /// Frames that contain their index.
    private static func frames(_ range: Range<Int>) -> [UInt8] {
        range.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    }

    private static func add(
        _ range: Range<Int>, to queue: inout CaptureQueue, at milliseconds: Int, arrival: Duration = .zero
    ) {
        queue.append(frames(range).span.bytes, at: .milliseconds(milliseconds), arrival: arrival)
    }

    /// All chunks as time in ms and range of indices.
    private static func drain(_ queue: inout CaptureQueue) -> [String] {
        var texts: [String] = []
        while let step = queue.next() {
            switch step {
            case .format(let format): texts.append("\(format.stream.format.sampleRate) Hz")
            case .end: texts.append("end")
            case .chunk(let time, let payload):
                let indices = stride(from: 0, to: payload.count, by: 2).map {
                    Int(payload[$0]) | (Int(payload[$0 + 1]) << 8)
                }
                let isContinuous = indices.elementsEqual(indices[0]..<(indices[0] + indices.count))
                texts.append(
                    "\(Int(time / .milliseconds(1))): \(indices[0])+\(indices.count)\(isContinuous ? "" : "!")")
            }
        }
        return texts
    }

    @Test func chunksHave20MillisecondsWhateverTheBuffersHave() {
        var queue = queue()
        Self.add(0..<7, to: &queue, at: 1000)
        #expect(Self.drain(&queue) == [])
        Self.add(7..<19, to: &queue, at: 1007)
        #expect(Self.drain(&queue) == [])
        Self.add(19..<30, to: &queue, at: 1019)
        #expect(Self.drain(&queue) == ["1000: 0+20"])
        Self.add(30..<95, to: &queue, at: 1030)
        #expect(Self.drain(&queue) == ["1020: 20+20", "1040: 40+20", "1060: 60+20"])
        queue.begin(nil)
        #expect(Self.drain(&queue) == ["1080: 80+15", "end"])
        #expect(queue.isEmpty)
        #expect(queue.counts.chunks == 5 && queue.counts.bytes == 190 && queue.counts.time == .milliseconds(95))
    }

    /// Within a run, the jitter of the times changes those of the chunks, but no sample.
    @Test func timesFollowTheBuffers() {
        var queue = queue()
        for (start, time) in [(0, 1000), (10, 1012), (20, 1019), (30, 1033)] {
            Self.add(start..<(start + 10), to: &queue, at: time)
        }
        #expect(Self.drain(&queue) == ["1000: 0+20", "1019: 20+20"])
        #expect(queue.counts.gaps == 0)
    }

    @Test func chunkEndsAtAGap() {
        var queue = queue()
        Self.add(0..<10, to: &queue, at: 1000)
        Self.add(10..<40, to: &queue, at: 1500)
        Self.add(40..<50, to: &queue, at: 900)
        queue.begin(nil)
        #expect(Self.drain(&queue) == ["1000: 0+10", "1500: 10+20", "1520: 30+10", "900: 40+10", "end"])
        #expect(queue.counts.gaps == 2)
        #expect(queue.counts.overflows == 0)
    }

    /// A jump between buffers that are whole chunks is a gap, wherever the network thread takes them.
    @Test(arguments: [true, false]) func gapBetweenChunksIsCounted(drainsEach: Bool) {
        var queue = queue()
        for (start, time) in [(0, 1000), (20, 1020), (40, 1540), (60, 1560), (80, 1084), (100, 1104)] {
            Self.add(start..<(start + 20), to: &queue, at: time)
            if drainsEach { #expect(Self.drain(&queue) == ["\(time): \(start)+20"]) }
        }
        _ = Self.drain(&queue)
        #expect(queue.counts.gaps == 2)
        #expect(queue.counts.chunks == 6)
        // A server that requests the audio again begins a new stream.
        queue.clear()
        Self.add(0..<20, to: &queue, at: 9000)
        #expect(Self.drain(&queue) == ["9000: 0+20"])
        #expect(queue.counts.gaps == 2)
    }

    @Test func formatChangesBetweenChunks() {
        var queue = queue()
        Self.add(0..<25, to: &queue, at: 0)
        let faster = CaptureFormat(.pcm, channels: 1, sampleRate: 2000)!
        queue.begin(faster)
        Self.add(25..<65, to: &queue, at: 25)
        queue.begin(faster)
        #expect(Self.drain(&queue) == ["0: 0+20", "20: 20+5", "2000 Hz", "25: 25+40"])
    }

    @Test func clearKeepsTheFormat() {
        var queue = queue()
        Self.add(0..<25, to: &queue, at: 0)
        queue.begin(CaptureFormat(.pcm, channels: 1, sampleRate: 2000))
        queue.begin(CaptureFormat(.pcm, channels: 1, sampleRate: 4000))
        queue.clear()
        #expect(Self.drain(&queue) == ["4000 Hz"])
        #expect(queue.counts.overflows == 0)
    }

    /// Without a connection nothing leaves the queue, and each song of a playlist may have another format.
    @Test func changesWithoutDataDoNotAccumulate() {
        var queue = queue()
        let faster = CaptureFormat(.pcm, channels: 1, sampleRate: 2000)!
        for _ in 0..<100 {
            queue.begin(nil)
            queue.begin(faster)
            queue.begin(Self.format)
        }
        #expect(Self.drain(&queue) == ["1000 Hz"])
        // The data between the changes are too old after a stall.
        for second in 0..<100 {
            queue.begin(second.isMultiple(of: 2) ? faster : Self.format)
            Self.add(0..<2000, to: &queue, at: 1000 * second, arrival: .seconds(second))
        }
        #expect(Self.drain(&queue).count { $0.hasSuffix("Hz") } <= 3)
        queue.begin(nil)
        #expect(Self.drain(&queue).last == "end")
    }

    @Test func releasedQueueBeginsAgain() {
        var queue = queue()
        Self.add(0..<100, to: &queue, at: 0)
        let chunk = queue.next()
        #expect(chunk != nil)
        let counts = queue.counts
        queue.releaseMemory()
        #expect(queue.isEmpty && queue.format == nil)
        #expect(Self.drain(&queue) == [])
        #expect(queue.counts == counts)
        queue.begin(Self.format)
        Self.add(0..<20, to: &queue, at: 5000)
        #expect(Self.drain(&queue) == ["1000 Hz", "5000: 0+20"])
    }

    /// The network takes nothing for a minute; then the newest half second remains.
    @Test func dropsTheOldestAudioOfAStall() {
        var queue = queue()
        for start in stride(from: 0, to: 60_000, by: 10) {
            Self.add(start..<(start + 10), to: &queue, at: start, arrival: .milliseconds(start))
        }
        #expect(queue.counts.overflows == 6000 - 51)
        let first = Self.drain(&queue).first
        #expect(first == "59490: \(59_490)+20")
    }

    /// The machine was busy for 10 s: what little waits is not dropped.
    @Test func busyMachineLosesNothing() {
        var queue = queue()
        for (number, arrival) in [0, 0, 10, 10, 10, 10].enumerated() {
            Self.add(
                (number * 10)..<(number * 10 + 10), to: &queue, at: number * 10, arrival: .seconds(arrival))
        }
        #expect(Self.drain(&queue) == ["0: 0+20", "20: 20+20", "40: 40+20"])
        #expect(queue.counts.overflows == 0)
    }

    /// A buffer of 1 s arrives in one piece; it is not late.
    @Test func longBufferIsNotDropped() {
        var queue = queue()
        Self.add(0..<1000, to: &queue, at: 0)
        #expect(Self.drain(&queue).count == 50)
        #expect(queue.counts.overflows == 0)
    }

    /// Memory has a fixed size: a buffer that exceeds it loses its beginning.
    @Test func memoryIsBounded() {
        let format = CaptureFormat(.pcm, channels: 2, sampleRate: 192_000, bitDepth: 32)!
        var queue = queue(format)
        let second = [UInt8](repeating: 1, count: 192_000 * 8)
        for _ in 0..<20 { queue.append(second.span.bytes, at: .zero, arrival: .zero) }
        var bytes = 0
        while case .chunk(_, let payload)? = queue.next() { bytes += payload.count }
        #expect(bytes <= second.count * 3 / 2)
        #expect(bytes >= second.count)
        #expect(queue.counts.overflows > 900)
        let before = queue.counts.overflows
        for index in 0..<10_000 {
            queue.append(second.span.bytes.extracting(0..<8), at: .seconds(index), arrival: .zero)
        }
        #expect(queue.counts.overflows == before + 10_000 - 2_048)
    }

    @Test func partOfAFrameIsMalformed() {
        var queue = queue()
        for bytes: [UInt8] in [[1, 2, 3], []] {
            let isAccepted = queue.append(bytes.span.bytes, at: .zero, arrival: .zero)
            #expect(!isAccepted)
        }
        #expect(queue.isEmpty)
        #expect(queue.counts.malformed == 1)
        var unformatted = CaptureQueue()
        let isAccepted = unformatted.append([1, 2].span.bytes, at: .zero, arrival: .zero)
        #expect(!isAccepted)
    }

    @Test func buffersOfFLACAreChunks() throws {
        for (blockSize, isTooLong) in [(4_608, false), (7_200, false), (7_216, true)] {
            let stream = FakeStream.flac(blockSize: blockSize)
            let header = try #require(stream.start.codecHeader)
            let format = try #require(CaptureFormat(.flac, channels: 0, sampleRate: 0, codecHeader: header))
            #expect(format.stream.format == stream.format)
            var queue = queue(format)
            let block = stream.payload(of: 0, firstIndex: 0)
            queue.append(block.span.bytes, at: .seconds(3), arrival: .zero)
            queue.append([1, 2, 3].span.bytes, at: .seconds(3), arrival: .zero)
            #expect(queue.next() == (isTooLong ? nil : .chunk(time: .seconds(3), payload: block)))
            #expect(queue.next() == nil)
            #expect(queue.counts.malformed == 1)
            #expect(queue.counts.tooLong == (isTooLong ? 1 : 0))
        }
    }

    @Test func packetsOfOpusAreChunks() throws {
        var queue = queue(try #require(CaptureFormat(.opus, channels: 2, sampleRate: 48_000)))
        // Two packets of 20 ms, and one of 120 ms.
        for packet: [UInt8] in [[0xFC, 1], [0xFC, 2], [0xFF, 6, 3]] {
            queue.append(packet.span.bytes, at: .seconds(Int(packet[1])), arrival: .zero)
        }
        #expect(queue.next() == .chunk(time: .seconds(1), payload: [0xFC, 1]))
        #expect(queue.next() == .chunk(time: .seconds(2), payload: [0xFC, 2]))
        #expect(queue.next() == .chunk(time: .seconds(6), payload: [0xFF, 6, 3]))
        #expect(queue.counts.time == .milliseconds(160))
    }

    @Test func hugeBufferOfAnEncoderIsMalformed() throws {
        for codec in [AudioCodec.opus, .flac] {
            let header = codec == .flac ? FakeStream.flac(blockSize: 4_608).start.codecHeader : nil
            var queue = queue(
                try #require(CaptureFormat(codec, channels: 2, sampleRate: 48_000, codecHeader: header)))
            let bytes = [UInt8](repeating: 0xFC, count: CaptureQueue.longestUnit + 1)
            let isAccepted = queue.append(bytes.span.bytes, at: .zero, arrival: .zero)
            #expect(!isAccepted)
            #expect(queue.next() == nil)
            #expect(queue.counts.malformed == 1 && queue.counts.overflows == 0)
        }
    }

    /// Random buffers, stalls, gaps and formats: each frame leaves once and in order, or is dropped and counted.
    @Test(arguments: 1...20) func losesOnlyWhatItCounts(seed: UInt64) {
        var dice = Random(seed: seed)
        var queue = queue()
        var (index, time, now) = (0, 0, Duration.zero)
        var left: [Int] = []
        for _ in 0..<2_000 {
            let count = Int(dice.below(UInt64(60))) + 1
            if dice.below(UInt64(20)) == 0 { time += Int(dice.below(UInt64(2_000))) }
            Self.add(index..<(index + count), to: &queue, at: time, arrival: now)
            (index, time, now) = (index + count, time + count, now + .milliseconds(count))
            guard dice.below(UInt64(3)) == 0 else { continue }
            while case .chunk(_, let payload)? = queue.next() {
                left += stride(from: 0, to: payload.count, by: 2).map { Int(payload[$0]) | (Int(payload[$0 + 1]) << 8) }
            }
        }
        queue.begin(nil)
        while case .chunk(_, let payload)? = queue.next() {
            left += stride(from: 0, to: payload.count, by: 2).map { Int(payload[$0]) | (Int(payload[$0 + 1]) << 8) }
        }
        // Indices have 16 bits.
        let steps = zip(left, left.dropFirst()).map { ($1 - $0) & 0xFFFF }
        #expect(steps.allSatisfy { $0 >= 1 && $0 < 0x8000 })
        #expect(queue.counts.overflows > 0 || left.count == index)
        #expect(steps.count { $0 != 1 } <= queue.counts.overflows)
    }
}
