import Durations
import GStreamer
import SendspinProtocol
import Threads

// Event handlers of a session, on the thread of its connection.

extension SourceReceiver {
    func handleCurrent(_ event: SessionEvent, of connection: ServerConnection) {
        switch event {
        case .activated(let activities, let roles):
            SendspinSource.log.debug(host, "activities: \(activities.map(\.rawValue))")
            if !roles.contains(.player), !activities.contains(.pairing) { warnOfMissingApproval() }
        case .clock(let estimate, _): follow(estimate, isStep: false)
        case .clockStepped(let estimate): follow(estimate, isStep: true)
        case .streamStarted(let stream), .streamChanged(let stream): streamStarted(stream)
        case .streamCleared: streamCleared()
        case .streamEnded: streamEnded()
        case .volume(let volume): command { $0.volume = volume }
        case .muted(let isMuted): command { $0.isMuted = isMuted }
        case .outputDelay(let delay): command { $0.outputDelay = delay }
        case .metadata(let metadata): report.announce { $0.describe(metadata) }
        case .artwork(_, let image): report.announce { $0.show(image) }
        case .group(let group): report.announce { $0.add(GroupMessages.group(group)) }
        case .controller(let controller): report.controllerChanged(controller)
        case .palette(let palette):
            let time = palette.flatMap { report.runningTime(at: $0.timestamp) }
            report.announce { $0.add(GroupMessages.color(palette, at: time)) }
        case .visualizer(let frame):
            guard let time = report.runningTime(at: frame.timestamp) else { break }
            host.post(GroupMessages.visualizer(frame, at: time))
        default: break
        }
    }

    func serverConnected(_ change: ServerChange) {
        report.serverConnected(change)
        // The stream of the previous server does not continue.
        if change == .other, report.queue.change({ $0.hasStream }) { streamEnded() }
        report.queue.change { $0.markDiscontinuity() }
    }

    func connectionEnded() {
        applyCommand(at: nil)
        report.serverLost()
        report.queue.change { $0.connectionLost() }
    }

    private func warnOfMissingApproval() {
        let remedy =
            core.profile.allowsUnpairedAccess || report.link.isPaired
            ? "Approve the player in the settings of the server, or pair it."
            : "This player plays from paired servers only: pair it, or set unpaired-access=always."
        warn(
            .resource(
                .notAuthorized, "The server \(report.link.serverName ?? "") does not let this player play. \(remedy)",
                debug: "The action signal get-pairing-token returns the token that the server asks for."))
    }

    // MARK: Clock

    private func follow(_ estimate: ClockEstimate, isStep: Bool) {
        var (isStep, shift) = report.queue.change { ($0.estimate == nil || isStep, $0.shift) }
        isStep = report.takeIsNewServer() || isStep
        if let clock = report.clock { isStep = clock.follow(estimate, shift: &shift, isStep: isStep) }
        report.queue.change { state in
            state.shift = shift
            if isStep { state.clockStepped(to: estimate) } else { state.estimate = estimate }
        }
    }

    // MARK: Stream

    private func streamStarted(_ stream: PlayerStream) {
        // The session passes only offered formats, and FLAC only with its header.
        guard let caps = StreamFormatCaps.caps(of: stream) else { return }
        SendspinSource.log.info(host, "the stream is \(stream.format)")
        report.streamStarted(stream.format)
        let format = StreamFormat(format: stream.format, caps: caps)
        if report.queue.change({ $0.announce() }) { host.post(Structure(StreamMessages.start)) }
        report.queue.change { $0.formatChanged(format) }
    }

    /// Flushes downstream; the streaming thread continues with the next chunk.
    private func streamCleared() {
        report.count { $0.clears += 1 }
        let isActive = report.queue.change { state in
            state.clear()
            return state.isActive
        }
        if isActive { flush() }
    }

    private func streamEnded() {
        report.count { $0.ends += 1 }
        let isActive = report.queue.change { state in
            state.clear()
            return state.isActive
        }
        if isActive { flush() }
        // The stream ends after the flush, because the flush would discard an earlier EOS event.
        report.queue.change { $0.streamEnded() }
        host.post(Structure(StreamMessages.end))
    }

    /// Flushes downstream if the property `flush` is true.
    private func flush() { if settings.flushes { report.flush() } }

    // MARK: Player and group

    private func command(_ change: (inout PlayerState) -> Void) {
        profile.change(change)
        commanded()
    }

    /// Copies the player's state to the queue and the properties.
    func playerChanged() {
        let player = profile.player
        report.queue.change { $0.outputDelay = player.outputDelay }
        report.playerChanged(player)
    }
}
