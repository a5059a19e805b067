import Durations
import JSON
@testable import SendspinProtocol

extension AttackGenerator {
    private static let streams: [FakeStream] = [
        .pcm(), .flac(blockSize: 1_200), .pcm(bitDepth: 24), .pcm(sampleRate: 44_100),
        .flac(bitDepth: 24, blockSize: 1_200), .flac(sampleRate: 96_000, blockSize: 2_400),
    ]

    /// The start of a FLAC stream with a header that is valid except for its excessive length.
    mutating func longHeader() -> [UInt8] {
        var start = FakeStream.flac().start
        let size = [100, 16_000, 17_000, 190_000, 200_000, 2_000_000].randomElement(using: &dice) ?? 0
        start.codecHeader = (start.codecHeader ?? []) + [UInt8](repeating: UInt8(count & 0xFF), count: size)
        return ServerMessage.streamStart(StreamStart(player: start)).json.bytes
    }

    /// Returns alternately a format that the client offers, and a chunk in this format.
    mutating func formatOrChunk() -> Attack {
        let number = (count - 1) / 2
        let stream = Self.streams[number % Self.streams.count]
        if !count.isMultiple(of: 2) {
            let start = StreamStart(serverTransmitted: .seconds(1), player: stream.start)
            return .json(ServerMessage.streamStart(start).json.bytes)
        }
        return .chunk(after: .milliseconds(500 + (25 * number)), payload: stream.payload(of: 0, firstIndex: 0))
    }
}
