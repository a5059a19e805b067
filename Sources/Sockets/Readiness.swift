import Durations
public import Glibc
import Threads

/// Waits for descriptors.
public enum Readiness {
    /// Waits until a descriptor is ready, or until a time of `MonotonicClock`; with a deadline, at most 60 s.
    ///
    /// Negative descriptors are ignored. An error of a descriptor sets its requested events, or POLLIN if it has none.
    public static func wait(for descriptors: inout [pollfd], until deadline: Duration?) {
        while true {
            let count = unsafe poll(&descriptors, nfds_t(descriptors.count), timeout(until: deadline))
            if count >= 0 || errno != EINTR { break }
        }
        let failure = Int16(POLLERR | POLLHUP | POLLNVAL)
        for index in descriptors.indices where descriptors[index].revents & failure != 0 {
            let events = descriptors[index].events
            descriptors[index].revents |= events == 0 ? Int16(POLLIN) : events
        }
    }

    /// Milliseconds until the deadline, at most a minute, rounded up; -1 without a deadline.
    private static func timeout(until deadline: Duration?) -> CInt {
        guard let deadline else { return -1 }
        let rest = max(.zero, min(deadline - MonotonicClock.now, .seconds(60)))
        return CInt((UInt64(nanosecondsOf: rest) + 999_999) / 1_000_000)
    }
}

extension pollfd {
    /// Polls a descriptor for input.
    public static func input(_ descriptor: CInt) -> pollfd { pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0) }

    /// Whether input, the end of input, or an error is pending.
    public var canRead: Bool { revents & Int16(POLLIN) != 0 }
    /// Whether the socket accepts bytes, or an error is pending.
    public var canWrite: Bool { revents & Int16(POLLOUT) != 0 }
}
