import CSystem
import Glibc
import Sockets
import Threads

/// Resolves a host name on its own thread, so that the caller can cancel at any time.
///
/// The thread ends when the resolver of the system has its result, which nobody may await any more.
final class HostLookup: Sendable {
    private enum Outcome {
        /// Numeric addresses, IPv6 with a zone if they need one.
        case addresses([String])
        case failed(String)
    }

    private let outcome = Monitor(Outcome?.none, conditions: 0)
    private let done: Waker

    private init() throws(WebSocketError) {
        do throws(SocketFailure) { done = try Waker() } catch { throw .noResources(reason: error.reason) }
    }

    /// Returns the numeric addresses of a host in the system's order of preference.
    static func addresses(
        of address: WebSocketAddress, until deadline: Duration, limits: Duration, waker: Waker
    ) throws(WebSocketError) -> [String] {
        if case .addresses = resolve(address.host, flags: AI_NUMERICHOST) { return [address.host] }
        let lookup = try HostLookup()
        let thread = Worker.start("ws-resolve") {
            csockets_block_signals()
            let result = resolve(address.host, flags: 0)
            lookup.outcome.change { $0 = result }
            lookup.done.wake()
        }
        guard thread != nil else { throw .noResources(reason: "the system starts no thread") }
        while true {
            if waker.isCancelled { throw .cancelled }
            switch lookup.outcome.change({ $0 }) {
            case .addresses(let addresses): return addresses
            case .failed(let reason): throw .cannotResolve(address, reason: reason)
            case nil: break
            }
            if MonotonicClock.now >= deadline { throw .timedOut(address, after: limits) }
            var descriptors = [pollfd.input(waker.descriptor), pollfd.input(lookup.done.descriptor)]
            Readiness.wait(for: &descriptors, until: deadline)
            waker.clear()
        }
    }

    private static func resolve(_ host: String, flags: CInt) -> Outcome {
        var hints = addrinfo()
        hints.ai_flags = flags
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &list)
        guard status == 0 else { return .failed(String(cString: gai_strerror(status))) }
        defer { freeaddrinfo(list) }
        var addresses: [String] = []
        var next = list
        while let item = next {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let length = socklen_t(text.count)
            if getnameinfo(item.pointee.ai_addr, item.pointee.ai_addrlen, &text, length, nil, 0, NI_NUMERICHOST) == 0 {
                addresses.append(String(cString: text))
            }
            next = item.pointee.ai_next
        }
        return addresses.isEmpty ? .failed("the name has no address") : .addresses(addresses)
    }
}
