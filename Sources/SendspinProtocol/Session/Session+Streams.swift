import Durations

extension Session {
    /// Handles `stream/start`.
    mutating func begin(_ start: StreamStart) {
        if start.artwork != nil, roles.contains(.artwork) { isArtworkActive = true }
        if start.hasVisualizer, roles.contains(.visualizer) { visualizer.start() }
        guard var player = start.player, roles.contains(.player) else { return }
        player.codecHeader = player.format.codec == .flac ? player.streamInformation : nil
        if let clause = fault(of: player) {
            endStreams { $0 == .player }
            return ignore("stream/start", clause)
        }
        emit(stream == nil ? .streamStarted(player) : .streamChanged(player))
        stream = player
    }

    /// Reason why a stream cannot be played, as a clause; nil if the stream can be played.
    private func fault(of stream: PlayerStream) -> String? {
        guard configuration.formats.contains(where: { $0.matches(stream.format) }) else {
            return "the format \(stream.format) was not offered"
        }
        guard stream.format.codec != .flac || stream.codecHeader != nil else {
            return "the codec header of FLAC is missing or malformed"
        }
        return nil
    }

    mutating func endStreams(_ isConcerned: (Role) -> Bool) {
        if isConcerned(.player), stream != nil {
            stream = nil
            emit(.streamEnded)
        }
        if isConcerned(.artwork), isArtworkActive {
            isArtworkActive = false
            for channel in images.end() { emit(.artwork(channel: channel, image: [])) }
        }
        if isConcerned(.visualizer) { visualizer.end() }
    }

    /// Handles a binary message with its type; ignores unknown types, which belong to other roles or later versions.
    mutating func takeBinary(_ message: [UInt8], at arrival: Duration) throws(SessionFailure) {
        guard phase.isActive || roles.isEmpty == false else {
            throw .violation("a binary message arrived instead of \(phase.description)")
        }
        switch message.first {
        case BinaryType.audio: takeAudio(message)
        case .some(let type) where BinaryType.artwork.contains(type): try takeArtwork(message, at: arrival)
        case .some(let type) where BinaryType.visualizer.contains(type): takeVisualizer(message, at: arrival)
        default: break
        }
    }

    private mutating func takeAudio(_ message: [UInt8]) {
        guard let stream, player.isAvailable else {
            counters.chunksIgnored += 1
            return
        }
        do throws(WireFault) {
            let chunk = try AudioChunk(parsing: message, configuration.dialect)
            let frameSize = stream.format.codec == .pcm ? stream.format.bytesPerFrame : 1
            guard chunk.payload.count.isMultiple(of: frameSize) else {
                ignore("audio", "a chunk of \(chunk.payload.count) bytes is not a whole number of frames")
                return
            }
            counters.chunksReceived += 1
            emit(.chunk(chunk))
        } catch {
            ignore("audio", "\(error)")
        }
    }

    private mutating func takeVisualizer(_ message: [UInt8], at arrival: Duration) {
        guard visualizer.isActive, player.isAvailable else { return }
        do throws(WireFault) {
            guard let kind = message.first.flatMap(VisualizerKind.init(binaryType:)),
                configuration.visualizer.kinds.contains(kind)
            else { return ignore("visualizer", "its data were not requested") }
            visualizer.receive(try VisualizerFrame(parsing: message), size: message.count, at: arrival)
            showDue(at: arrival)
        } catch {
            ignore("visualizer", "\(error)")
        }
    }

    private mutating func takeArtwork(_ message: [UInt8], at arrival: Duration) throws(SessionFailure) {
        let part: ArtworkMessage
        do throws(WireFault) {
            part = try ArtworkMessage(parsing: message, configuration.dialect)
        } catch {
            throw .violation(error.description)
        }
        guard isArtworkActive else { return }
        try images.receive(part)
        counters.imagesDiscarded = images.discardedCount
        showDue(at: arrival)
    }
}
