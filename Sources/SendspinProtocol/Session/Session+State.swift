import Durations

extension Session {
    /// Handles `server/state`.
    mutating func take(_ state: ServerState, at now: Duration) {
        if let received = state.metadata, roles.contains(.metadata) {
            metadata.receive(received)
            showDue(at: now)
        }
        if let received = state.controller, roles.contains(.controller) {
            controller = received
            emit(.controller(received))
        }
        if let received = state.palette, roles.contains(.color) {
            palette.receive(received)
            showDue(at: now)
        }
    }

    /// Handles `group/update`; legacy servers send only changes.
    ///
    /// While the client has no role, an update is only stored; it is reported when the server activates a role.
    mutating func merge(_ update: GroupUpdate) {
        let merged = GroupUpdate(
            playback: update.playback ?? group?.playback, groupID: update.groupID ?? group?.groupID,
            groupName: update.groupName ?? group?.groupName)
        group = merged
        if !roles.isEmpty { emit(.group(merged)) }
    }

    /// Performs a command of the server and reports the new state; commands that were not offered are ignored.
    mutating func obey(_ command: PlayerCommand, at now: Duration) throws(SessionFailure) {
        guard roles.contains(.player), player.commands.contains(command.name) else {
            ignore("server/command", "the command \(command.name.rawValue) was not offered")
            return
        }
        switch command {
        case .volume(let percent):
            player.volume = percent
            emit(.volume(percent))
        case .mute(let isMuted):
            player.isMuted = isMuted
            emit(.muted(isMuted))
        case .outputDelay(let delay):
            player.outputDelay = delay
            emit(.outputDelay(delay))
        }
        try report(at: now)
    }
}
