import Durations
@testable import SendspinProtocol
import Threads

extension FakeServer {
    /// Plays a stream from the frame `firstIndex` on, and returns the server time of that frame.
    ///
    /// If a stream plays already, clears it, like a seek. Clients that connect later join the new stream.
    @discardableResult
    package func play(_ stream: FakeStream, lead: Duration = .seconds(1), firstIndex: Int64 = 0) -> Duration {
        let start = core.change { state in
            // Times in the protocol are whole microseconds.
            let now = state.clock.time(at: MonotonicClock.now) + lead
            let start = Duration.microseconds(Int64(now / .microseconds(1)))
            state.timeline.play(stream, at: start, firstIndex: firstIndex)
            return start
        }
        core.wakeConnections()
        return start
    }

    /// Changes the format at the next chunk without a gap and without a jump of the ramp's indices.
    ///
    /// Returns the first index in the new format and its server time; nil if no stream plays.
    @discardableResult
    package func change(to stream: FakeStream) -> (firstIndex: Int64, start: Duration)? {
        let segment = core.change { $0.timeline.change(to: stream) }
        core.wakeConnections()
        return segment.map { ($0.firstIndex, $0.start) }
    }

    /// Ends the stream with `stream/end`.
    package func end() {
        core.change { $0.timeline.end() }
        core.wakeConnections()
    }

    /// Whether a stream plays.
    package var isPlaying: Bool { core.state.change { $0.timeline.isPlaying } }

    /// Server time at which frame `index` of the newest stream must be heard.
    package func time(ofIndex index: Int64) -> Duration? {
        core.state.change { state in
            let segment = state.timeline.segments.last { $0.firstIndex <= index }
            return segment.map { $0.start + $0.stream.time(of: index - $0.firstIndex) }
        }
    }

    /// Monotonic time at which frame `index` of the newest stream must be heard.
    package func localTime(ofIndex index: Int64) -> Duration? {
        time(ofIndex: index).map { clock.local(of: $0) }
    }

    /// Sets the time between sending a chunk and its play time.
    package func setSendAhead(_ time: Duration) {
        core.change { $0.sendAhead = time }
        core.wakeConnections()
    }

    /// Sends a command to the players, which must confirm it.
    package func command(_ command: PlayerCommand) {
        core.perform { $0.peer.send(command, at: MonotonicClock.now) }
    }

    /// Sends a command to the sources.
    package func command(_ command: SourceCommand) { core.perform { $0.peer.send(command) } }

    /// Sends metadata to clients with the metadata role, including clients that connect later.
    package func show(_ metadata: Metadata) {
        core.change { $0.metadata = metadata }
        core.perform { $0.show(metadata) }
    }

    /// Offers commands to clients with the controller role, including clients that connect later.
    package func offer(_ controller: ControllerState) {
        core.change { $0.controller = controller }
        core.perform { $0.offer(controller) }
    }

    /// Sends colours to clients with the colour role.
    package func show(_ palette: Palette) {
        core.perform { connection in
            if connection.peer.roles.contains(.color) { connection.peer.send(.state(ServerState(palette: palette))) }
        }
    }

    /// Sends frames to clients with the visualizer role, in a stream that begins with them.
    package func visualize(_ frames: [VisualizerFrame]) {
        core.perform { connection in
            guard connection.peer.roles.contains(.visualizer) else { return }
            connection.peer.send(
                .streamStart(StreamStart(serverTransmitted: connection.now.server, hasVisualizer: true)))
            for message in frames.flatMap(\.messages) { connection.peer.send(binary: message) }
        }
    }

    /// Announces the group to all clients, including clients that connect later.
    package func announce(_ group: GroupUpdate) {
        core.change { $0.group = group }
        core.perform { $0.peer.send(.group(group)) }
    }

    /// Sends an image that a channel must show at a server time, or an empty image to clear the channel.
    package func showArtwork(_ image: [UInt8], channel: Int = 0, at time: Duration) {
        core.perform { connection in
            guard connection.peer.roles.contains(.artwork) else { return }
            connection.peer.startArtwork(at: connection.now.server)
            if connection.peer.dialect == .legacy {
                let message = ArtworkMessage.image(channel: channel, timestamp: time, data: image[...])
                return connection.peer.send(binary: message.bytes)
            }
            let start = ArtworkMessage.announcement(channel: channel, timestamp: time, size: image.count)
            connection.peer.send(binary: start.bytes)
            for place in stride(from: 0, to: image.count, by: 60_000) {
                let data = image[place..<min(place + 60_000, image.count)]
                connection.peer.send(binary: ArtworkMessage.part(channel: channel, data: data).bytes)
            }
        }
    }
}
