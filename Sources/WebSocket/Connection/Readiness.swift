import Glibc
import Threads

enum Readiness {
    /// Waits until a descriptor is ready, or until a time of `MonotonicClock`.
    ///
    /// An error of a descriptor sets its requested events, or input if there are none.
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

    /// Milliseconds until the deadline, rounded up; -1 without a deadline.
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
    /// Polls a descriptor for input.
    static func input(_ descriptor: CInt) -> pollfd { pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0) }

    /// Whether input, the end of input, or an error is pending.
    var canRead: Bool { revents & Int16(POLLIN) != 0 }
    var canWrite: Bool { revents & Int16(POLLOUT) != 0 }
}
