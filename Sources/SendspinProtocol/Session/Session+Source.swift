import Durations
import JSON

// The source role: each start of the server permits one stream of captured audio, which begins at once.

extension Session {
    /// Progress of the source role on a connection; it does not survive the connection.
    struct SourceTurn: Sendable {
        /// Codecs that the server accepts.
        var codecs: [AudioCodec] = []
        /// The stream that was started; nil if none is open.
        var open: PlayerStream?
        /// Whether the server has requested a stream while a client that is also a player captured nothing.
        var isRequested = false
    }

    /// Format of the open stream of captured audio; nil if none is open.
    public var sourceStream: PlayerStream? { sourceTurn.open }

    /// Whether `send` may send captured audio now; false between a new handshake and its activation.
    public var mayCapture: Bool { sourceTurn.open != nil && phase.isActive }

    /// Reports the state of the source if it has changed, and starts, changes or ends the stream.
    public mutating func update(_ source: CaptureState, at now: Duration) -> [SessionAction] {
        run { session throws(SessionFailure) in
            session.source = source
            try session.settleSource()
            try session.report(at: now)
        }
    }

    /// Sends captured audio in the format of the open stream; nil if none is open.
    public mutating func send(_ chunk: SourceChunk) -> [SessionAction]? {
        guard mayCapture, let link, !chunk.payload.isEmpty else { return nil }
        return run { session throws(SessionFailure) in
            for part in try link.messages(for: chunk.message) { session.actions.append(.send(part)) }
        }
    }

    /// Server time at a local time; nil before the server's clock is known.
    public func serverTime(at local: Duration) -> Duration? { estimate?.serverTime(at: local) }

    mutating func obey(_ command: SourceCommand) throws(SessionFailure) {
        guard roles.contains(.source) else { return ignore("server/command", "the source role is not active") }
        sourceTurn.isRequested = false
        guard command == .start else { return try stopSource() }
        // A start while the client is unavailable has no effect, also not later.
        guard reporter.isAvailable else { return ignore("server/command", "the source is not available") }
        guard let stream = source.stream else {
            sourceTurn.isRequested = true
            return
        }
        if sourceTurn.open == nil { try startSource(stream) }
    }

    /// Makes the stream agree with the state of the source and the request of the server.
    mutating func settleSource() throws(SessionFailure) {
        guard let stream = source.stream else { return try stopSource() }
        let isOutdated = sourceTurn.open.map { $0 != stream } ?? sourceTurn.isRequested
        if isOutdated, phase.isActive { try startSource(stream) }
    }

    /// Starts a stream, or replaces the format of the open one.
    private mutating func startSource(_ stream: PlayerStream) throws(SessionFailure) {
        sourceTurn.isRequested = false
        guard sourceTurn.codecs.contains(stream.format.codec) else {
            emit(.sourceRefused(stream.format))
            return try stopSource()
        }
        sourceTurn.open = stream
        try transmit(.sourceStart(stream))
        emit(.sourceStarted(stream))
    }

    /// Reports the end of a stream that ends with the connection.
    mutating func forgetSource() {
        if sourceTurn.open.take() != nil { emit(.sourceEnded) }
    }

    /// Ends the stream.
    mutating func stopSource() throws(SessionFailure) {
        // Between a new handshake and its activation, the client may send nothing; `apply` then ends the stream.
        guard sourceTurn.open != nil, phase.isActive else { return }
        sourceTurn.open = nil
        try transmit(.sourceEnd)
        emit(.sourceEnded)
    }
}
