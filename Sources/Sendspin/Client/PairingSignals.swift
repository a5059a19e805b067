import GStreamer
import SendspinProtocol

/// An element with a link to a server.
protocol LinkedElement: ConcurrentElement {
    /// Nil in READY and NULL.
    var link: (any ServerLink)? { get }
}

enum PairingSignals {
    static func all<E: LinkedElement>(of _: E.Type) -> [Signal] {
        [
            // Returns the secret text that pairs a server with this client.
            Signal.action("get-pairing-token", returns: .string) { (element: E, _) in
                .string(element.link?.core.profile.pairingToken ?? "")
            },
            // Returns the names of the paired servers by their identity, the most recently used first.
            Signal.action("list-pairings", returns: .structure) { (element: E, _) in
                var list = Structure("sendspin-pairings")
                for record in element.link?.core.profile.pairings ?? [] {
                    // The file may be older than the length limit of names.
                    list[record.server.id] = .string(PeerText.make(record.name))
                }
                return .structure(list)
            },
            Signal.action("remove-pairing", arguments: [.string], returns: .bool) { (element: E, values) in
                guard case .string(let id) = values[0] else { return .bool(false) }
                return .bool(element.link?.removePairing(id) ?? false)
            },
            Signal.action("accept-server", arguments: [.string], returns: .bool) { (element: E, values) in
                guard case .string(let id) = values[0] else { return .bool(false) }
                return .bool(element.link?.acceptServer(id) ?? false)
            },
        ]
    }
}
