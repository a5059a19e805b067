import Durations
@testable import SendspinProtocol

/// Audio that a fake server plays, with a format and a signal.
package struct FakeStream: Sendable, Equatable {
    package var format: AudioFormat
    package var signal: TestSignal
    /// Frames of each chunk except the last one.
    package var chunkFrames: Int
    /// Number of FLAC frames in each chunk.
    package var blocksPerChunk: Int
    /// Number of frames; nil for an endless stream.
    package var length: Int64?
    /// Packets of an Opus stream, which plays them in a loop.
    package var packets: [[UInt8]] = []
    /// Whether the FLAC frames cannot be decoded.
    package var isDamaged = false

    /// A PCM stream with chunks of 25 ms.
    package static func pcm(
        bitDepth: Int = 16, sampleRate: Int = 48_000, channels: Int = 2, signal: TestSignal = .ramp,
        length: Int64? = nil
    ) -> FakeStream {
        FakeStream(
            format: AudioFormat(codec: .pcm, channels: channels, sampleRate: sampleRate, bitDepth: bitDepth),
            signal: signal, chunkFrames: sampleRate / 40, blocksPerChunk: 1, length: length)
    }

    /// A FLAC stream with chunks of `blocksPerChunk` blocks with `blockSize` frames.
    package static func flac(
        bitDepth: Int = 16, sampleRate: Int = 48_000, channels: Int = 2, blockSize: Int = 4_608,
        blocksPerChunk: Int = 1, signal: TestSignal = .ramp, length: Int64? = nil
    ) -> FakeStream {
        FakeStream(
            format: AudioFormat(codec: .flac, channels: channels, sampleRate: sampleRate, bitDepth: bitDepth),
            signal: signal, chunkFrames: blockSize * blocksPerChunk, blocksPerChunk: blocksPerChunk, length: length)
    }

    /// An Opus stream with packets of 20 ms, which the caller provides.
    package static func opus(_ packets: OpusPackets, channels: Int = 2, length: Int64? = nil) -> FakeStream {
        FakeStream(
            format: AudioFormat(codec: .opus, channels: channels, sampleRate: 48_000, bitDepth: 16), signal: .silence,
            chunkFrames: OpusPackets.frameCount, blocksPerChunk: 1, length: length, packets: packets.packets)
    }

    /// Payload of `stream/start`.
    package var start: PlayerStream {
        PlayerStream(format: format, codecHeader: format.codec == .flac ? writer.header : nil)
    }

    /// Number of chunks; nil for an endless stream.
    package var chunkCount: Int? { length.map { Int(($0 + Int64(chunkFrames) - 1) / Int64(chunkFrames)) } }

    /// Range of the frames of chunk `number`, counted from the start of the stream.
    package func frames(of number: Int) -> Range<Int64> {
        let start = Int64(number) * Int64(chunkFrames)
        let end = start + Int64(chunkFrames)
        return start..<max(start, length.map { min($0, end) } ?? end)
    }

    /// Encodes chunk `number`; the signal begins at its frame `firstIndex`.
    package func payload(of number: Int, firstIndex: Int64) -> [UInt8] {
        let frames = frames(of: number)
        let indices = frames.lowerBound + firstIndex..<frames.upperBound + firstIndex
        switch format.codec {
        case .pcm: return signal.pcm(indices, channels: format.channels, bitDepth: format.bitDepth)
        case .opus: return packets.isEmpty ? [0xF8, 0xFF, 0xFE] : packets[number % packets.count]
        case .flac:
            let blockSize = Int64(chunkFrames / blocksPerChunk)
            return stride(from: indices.lowerBound, to: indices.upperBound, by: Int64.Stride(blockSize)).enumerated()
                .flatMap { offset, start in
                    let end = min(start + blockSize, indices.upperBound)
                    return writer.block((number * blocksPerChunk) + offset, start..<end, of: signal)
                }
        }
    }

    /// Largest size that the payload of chunk `number` can have.
    func largestPayload(of number: Int) -> Int {
        if format.codec == .opus { return payload(of: number, firstIndex: 0).count }
        let pcm = frames(of: number).count * format.channels * format.bitDepth / 8
        // A verbatim block has at most this number of bytes in addition to its samples.
        return format.codec == .pcm ? pcm : pcm + (blocksPerChunk * (20 + format.channels))
    }

    /// Time from the start of the stream to its frame `index`.
    package func time(of index: Int64) -> Duration {
        let (seconds, rest) = index.quotientAndRemainder(dividingBy: Int64(format.sampleRate))
        return .seconds(seconds) + Duration(nanoseconds: rest * 1_000_000_000 / Int64(format.sampleRate))
    }

    private var writer: FLACWriter {
        var writer = FLACWriter(
            blockSize: chunkFrames / blocksPerChunk, sampleRate: format.sampleRate, channels: format.channels,
            bitDepth: format.bitDepth)
        writer.isDamaged = isDamaged
        return writer
    }
}
