import SendspinProtocol

/// A stream of captured audio that a fake server has received.
package struct CapturedStream: Sendable {
    /// A chunk with the server time of its arrival.
    package struct Chunk: Sendable {
        package var chunk: SourceChunk
        package var arrival: Duration
        package var timestamp: Duration { chunk.timestamp }
    }

    /// Format of the stream, and formats that replaced it.
    package internal(set) var formats: [PlayerStream]
    package internal(set) var chunks: [Chunk] = []
    /// Whether the client has ended the stream.
    package internal(set) var isEnded = false

    package var format: AudioFormat { formats[0].format }
    /// All data of the chunks.
    package var bytes: [UInt8] { chunks.flatMap(\.chunk.payload) }
}
