import Durations
import SendspinProtocol
import Threads

/// The links of this process that have a `storage-folder`; a player and a source with the same one become one client.
///
/// The connections of the player then have both roles, and the source is their guest: it is called on their threads, and
/// connects to no server by itself. A second source of a folder remains a client of its own. A forked child begins without
/// links.
enum SharedLinks {
    final class State: Sendable { let links = Mutex<[any ServerLink]>([]) }

    static let state = PerProcess { State() }

    /// Adds a link before it connects to a server.
    static func add(_ new: any ServerLink) {
        guard new.core.folder != nil else { return }
        change { $0.append(new) }
    }

    /// Removes a link, and ends what it shares.
    static func remove(_ old: any ServerLink) {
        change { links in
            // A forked child has inherited partners, whose locks other threads may have held.
            guard links.contains(where: { $0 === old }) else { return }
            links.removeAll { $0 === old }
            guard let partner = old.core.partner else { return }
            (old.core.partner, partner.core.partner) = (nil, nil)
            partner.partnerChanged()
        }
    }

    private static func change(_ body: (inout [any ServerLink]) -> Void) {
        state.value.links.withLock { links in
            body(&links)
            for player in links where player.core.isPlayer && player.core.partner == nil {
                let source = links.first { link in
                    !link.core.isPlayer && link.core.partner == nil && link.core.folder == player.core.folder
                }
                guard let source else { continue }
                (player.core.partner, source.core.partner) = (source, player)
                player.partnerChanged()
                source.partnerChanged()
            }
        }
    }
}

extension ServerLink {
    /// Time in which a source waits for a player before it connects by itself.
    ///
    /// The elements of a pipeline start and stop one after the other; a client that ends at once would be in the list of
    /// the server.
    private static var companyTime: Duration { .milliseconds(300) }

    /// Makes the threads of the link look at the partner.
    fileprivate func partnerChanged() {
        // A player does not wait for its partner, but `makeListener` for the end of its listener.
        if !core.isPlayer { core.pauses.wake() }
        core.waker.wake()
        core.turn.change { $0.current }?.wake()
    }

    /// Waits until this link connects by itself; false after `stop`.
    func awaitTurn() -> Bool {
        guard !core.isPlayer, core.folder != nil else { return !core.waker.isCancelled }
        while !core.waker.isCancelled {
            if let player = core.partner {
                // Its listener may require the address of this link.
                if player.core.listenAddress != nil { player.core.pauses.wake() }
                becameGuest(of: player.core)
                while core.partner === player, core.pauses.sleep(for: .seconds(1 << 31)) {}
                // A handler may stop the player, whose thread may wait for the end of that handler.
                player.onNetworkThread { leave(player) }
            } else if staysAlone() {
                return true
            }
        }
        return false
    }

    /// Waits for a player; false if one appears, or after `stop`.
    private func staysAlone() -> Bool {
        let deadline = MonotonicClock.now + Self.companyTime
        while core.partner == nil, core.pauses.sleep(for: deadline - MonotonicClock.now) {
            if MonotonicClock.now >= deadline { return core.partner == nil }
        }
        return false
    }

    /// Ends the use of a connection of the player.
    private func leave(_ player: any ServerLink) {
        core.turn.change { if $0.current?.link === player { $0.current = nil } }
        // A guest has no connection of its own.
        postLoss(nil, of: nil)
    }
}
