import CGIO
import CSystem
import Glibc
import Threads

/// Resolves a host name on its own thread, so that the caller can cancel at any time.
///
/// The corresponding C type is `GResolver`.
final class HostLookup: @unchecked Sendable {  // The monitor protects the result; the C object is thread-safe.
    private enum Outcome {
        case addresses([SocketAddress])
        case failed(String)
    }

    private let cancellable = g_cancellable_new()
    private let outcome = Monitor(Outcome?.none, conditions: 0)
    private let done: Waker

    private init() throws(WebSocketError) { done = try Waker() }

    deinit { g_object_unref(cancellable) }

    /// Returns the addresses of a host in the system's order of preference.
    static func addresses(
        of address: WebSocketAddress, until deadline: Duration, limits: Duration, waker: Waker
    ) throws(WebSocketError) -> [SocketAddress] {
        if let numeric = SocketAddress(numeric: address.host, port: address.port) { return [numeric] }
        let lookup = try HostLookup()
        guard Worker.start("ws-resolve", { lookup.run(address) }) != nil else {
            throw .noResources(reason: "the system starts no thread")
        }
        // The thread then ends at once, even if the system's resolver still blocks.
        defer { g_cancellable_cancel(lookup.cancellable) }
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

    private func run(_ address: WebSocketAddress) {
        csockets_block_signals()
        let result = resolve(address)
        outcome.change { $0 = result }
        done.wake()
    }

    private func resolve(_ address: WebSocketAddress) -> Outcome {
        guard let resolver = g_resolver_get_default() else { return .failed("there is no resolver") }
        defer { g_object_unref(resolver) }
        var error: UnsafeMutablePointer<GError>?
        guard let list = g_resolver_lookup_by_name(resolver, address.host, cancellable, &error) else {
            return .failed(SocketFailure(error).reason)
        }
        defer { g_resolver_free_addresses(list) }
        var addresses: [SocketAddress] = []
        var next: UnsafeMutablePointer<GList>? = list
        while let item = next {
            if let inet = item.pointee.data?.assumingMemoryBound(to: GInetAddress.self),
                let socketAddress = g_inet_socket_address_new(inet, address.port)
            {
                addresses.append(SocketAddress(socketAddress))
            }
            next = item.pointee.next
        }
        return addresses.isEmpty ? .failed("the name has no address") : .addresses(addresses)
    }
}
