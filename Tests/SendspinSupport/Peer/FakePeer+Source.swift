import Durations
@testable import SendspinProtocol

// The source role: each start permits one stream of captured audio.

extension FakePeer {
    /// Sends a command for the source, whether or not the client may receive it.
    mutating func send(_ command: SourceCommand) {
        if command == .start, roles.contains(.source), report.state?.isAvailable == true, !isCapturing {
            pendingStarts += 1
        }
        send(.command(nil, source: command))
    }

    mutating func startCapture(_ stream: PlayerStream) {
        guard roles.contains(.source) else { return report.violate("the client captures without the source role") }
        if report.state?.isAvailable != true { report.violate("the client captures while it is unavailable") }
        if !settings.sourceCodecs.contains(stream.format.codec) {
            report.violate("the server does not accept \(stream.format.codec.rawValue)")
        }
        let isFLAC = stream.format.codec == .flac
        if isFLAC ? stream.streamInformation == nil : stream.codecHeader != nil {
            report.violate("the codec header does not fit the codec")
        }
        if stream.format.codec == .pcm, ![8, 16, 24, 32].contains(stream.format.bitDepth) {
            report.violate("PCM has \(stream.format.bitDepth) bits")
        }
        guard !isCapturing else {
            report.captures[report.captures.count - 1].formats.append(stream)
            return
        }
        guard pendingStarts > 0 else { return report.violate("client-stream/start was not requested") }
        pendingStarts -= 1
        isCapturing = true
        report.captures.append(CapturedStream(formats: [stream]))
    }

    mutating func endCapture() {
        if !isCapturing { report.violate("client-stream/end without a stream") }
        guard isCapturing else { return }
        isCapturing = false
        report.captures[report.captures.count - 1].isEnded = true
    }

    mutating func takeCapture(_ message: [UInt8], at arrival: Moment) {
        guard let chunk = SourceChunk(captured: message) else {
            return report.violate("a chunk of captured audio is shorter than its header")
        }
        guard isCapturing, let stream = report.captures.last?.formats.last else {
            return report.violate("a chunk of captured audio arrived without a stream")
        }
        let format = CaptureFormat(
            stream.format.codec, channels: stream.format.channels, sampleRate: stream.format.sampleRate,
            bitDepth: stream.format.bitDepth, codecHeader: stream.codecHeader)
        if let duration = format?.duration(of: chunk.payload[...]) {
            if duration > SourceChunk.longest { report.violate("a chunk of captured audio is longer than 150 ms") }
        } else {
            report.violate("a chunk of captured audio is malformed")
        }
        if let last = report.captures.last?.chunks.last, chunk.timestamp <= last.timestamp {
            report.violate("the times of captured audio do not increase")
        }
        report.captures[report.captures.count - 1].chunks.append(
            CapturedStream.Chunk(chunk: chunk, arrival: arrival.server))
    }

    /// Checks the source in `client/state`.
    mutating func acceptSource(_ state: ClientState) {
        if (state.source != nil) != roles.contains(.source) {
            report.violate("client/state must have a source exactly if the role is active")
        }
        if !state.isAvailable, isCapturing {
            report.violate("client/state is unavailable before client-stream/end")
        }
        guard let signal = state.source?.signal else { return }
        if report.hello?.sensesLine != true { report.violate("client/state has a signal without line_sense") }
        if signal != report.signals.last { report.signals.append(signal) }
    }
}
