@testable import SendspinProtocol

extension ArtworkMessage {
    /// The message with its type; `channel` must be 0 to 3.
    package var bytes: [UInt8] {
        func type(_ channel: Int) -> UInt8 { BinaryType.artwork.lowerBound + UInt8(channel & 3) }

        switch self {
        case .announcement(let channel, let timestamp, let size):
            return [type(channel), Self.announceFlag] + BigEndian.bytes(timestamp.wireMicroseconds)
                + BigEndian.bytes(UInt32(clamping: size))
        case .part(let channel, let data): return [type(channel), 0] + data
        case .cancellation(let channel): return [type(channel), Self.cancelFlag]
        case .image(let channel, let timestamp, let data):
            return [type(channel)] + BigEndian.bytes(timestamp.wireMicroseconds) + [UInt8](data)
        }
    }
}

extension VisualizerFrame {
    /// A message with its type for each kind of data.
    package var messages: [[UInt8]] {
        let contents: [(VisualizerKind, [UInt8]?)] = [
            (.loudness, loudness.map { BigEndian.bytes($0) }), (.beat, isDownbeat.map { [$0 ? 1 : 0] }),
            (.frequencyPeak, strongest.map { BigEndian.bytes($0.frequency) + BigEndian.bytes($0.level) }),
            (.spectrum, spectrum.map { $0.flatMap { BigEndian.bytes($0) } }), (.peak, peak.map { [$0] }),
        ]
        return zip(BinaryType.visualizer, contents).compactMap { type, content in
            content.1.map { [type] + BigEndian.bytes(timestamp.wireMicroseconds) + $0 }
        }
    }
}

extension SourceChunk {
    /// Parses a message; nil if it has another type than `BinaryType.capturedAudio`, or is shorter than its header.
    package init?(captured message: [UInt8]) {
        guard message.first == BinaryType.capturedAudio, message.count >= Self.headerSize,
            let microseconds: Int64 = BigEndian.read(message[1...])
        else {
            return nil
        }
        self.init(
            timestamp: Duration(wireMicroseconds: microseconds), payload: Array(message[Self.headerSize...]))
    }
}

extension AudioChunk {
    /// The message with its type.
    package func bytes(_ dialect: Dialect) -> [UInt8] {
        var bytes = [BinaryType.audio] + BigEndian.bytes(timestamp.wireMicroseconds)
        if dialect == .encrypted { bytes += BigEndian.bytes(UInt32(clamping: sendAhead?.wireMicroseconds ?? 0)) }
        return bytes + payload
    }
}
