import GStreamer
import ServiceDiscovery
import Threads
import WebSocket

struct ServerSearch {
    /// DNS-SD type of servers.
    static let type = "_sendspin-server._tcp"

    /// Time for another server to appear if all discovered servers have failed before.
    private static let choiceTime = Duration.seconds(1)

    private let core: LinkCore

    init(_ core: LinkCore) { self.core = core }

    /// Waits for a server; nil if the link must end its connections.
    ///
    /// A server in `failed`, which lists the earliest failure first, is returned only if no other server appears.
    func first(avoiding failed: [WebSocketAddress]) -> WebSocketAddress? {
        let events = Monitor<[ServiceBrowser.Event]>([], conditions: 1)
        let browser = ServiceBrowser(type: Self.type) { event in
            events.change { list in
                list.append(event)
                events.mutex.wake(0)
            }
        }
        defer { browser.stop() }
        var (choice, choiceEnd): (Int?, Duration?)
        while !core.mustEnd {
            if let choice, let choiceEnd, MonotonicClock.now >= choiceEnd { return failed[choice] }
            let deadline = MonotonicClock.now + .milliseconds(200)
            let next = events.await { list -> Monitor<[ServiceBrowser.Event]>.Step<ServiceBrowser.Event?> in
                if !list.isEmpty { return .done(list.removeFirst()) }
                return MonotonicClock.now < deadline ? .wait(0, until: deadline) : .done(nil)
            }
            switch next {
            case .added(let service):
                let address = Self.address(of: service)
                guard let index = failed.firstIndex(of: address) else { return address }
                choice = min(index, choice ?? index)
                choiceEnd = choiceEnd ?? MonotonicClock.now + Self.choiceTime
            case .failed(let error):
                core.host.post(
                    warning: .resource(.notFound, "\(error)", debug: "Or set uri to sendspin://host:8927."))
            case .removed, .allForNow, nil: continue
            }
        }
        return nil
    }

    static func address(of service: DiscoveredService) -> WebSocketAddress {
        // Warnings and requests contain the path, so it must be valid: any host of the network can publish one.
        let path = service.text["path"].flatMap { UpgradeRequest.isValid(path: $0) ? $0 : nil }
        return WebSocketAddress(host: service.address, port: service.port, path: path ?? "/sendspin")
    }
}
