import Glibc
import Threads

/// Waits for sockets.
enum Readiness {
    /// Waits until one of the descriptors is ready, or until the time of `MonotonicClock`.
    ///
    /// Errors of a descriptor count as each event that was asked for, and as input if none was.
    static func wait(for descriptors: inout [pollfd], until deadline: Duration?) {
        while true {
            let count = poll(&descriptors, nfds_t(descriptors.count), timeout(until: deadline))
            if count >= 0 || errno != EINTR { break }
        }
        let failure = Int16(POLLERR | POLLHUP | POLLNVAL)
        for index in descriptors.indices where descriptors[index].revents & failure != 0 {
            let events = descriptors[index].events
            descriptors[index].revents |= events == 0 ? Int16(POLLIN) : events
        }
    }

    /// Milliseconds, rounded up so that the deadline has passed after them; -1 without a deadline.
    private static func timeout(until deadline: Duration?) -> CInt {
        guard let deadline else { return -1 }
        let rest = deadline - MonotonicClock.now
        guard rest > .zero else { return 0 }
        let (seconds, attoseconds) = rest.components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return CInt((seconds * 1000) + ((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}

extension pollfd {
    /// A descriptor of which input is awaited.
    static func input(_ descriptor: CInt) -> pollfd { pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0) }

    /// Whether input, the end of input, or an error is there.
    var canRead: Bool { revents & Int16(POLLIN) != 0 }
    /// Whether the descriptor accepts output.
    var canWrite: Bool { revents & Int16(POLLOUT) != 0 }
}
