import CAvahi
import CSystem
import Threads

/// A thread with a connection to avahi-daemon; it reconnects after each loss.
///
/// Calls of Avahi block while the bus does not respond, so `stop` does not join the thread.
final class AvahiThread: @unchecked Sendable {  // The monitor protects the shared state; only the thread uses the rest.
    private struct Shared {
        var isStopped = false
        /// The main loop; nil if there is none.
        var poll: OpaquePointer?
        /// Thread that is in `report`; 0 if there is none.
        var reporter: UInt = 0
    }

    private let shared = Monitor(Shared(), conditions: 1)
    private let forks = ForkCount.now
    private let retry = Alarm()
    private var work: (any AvahiWork)?
    /// Reason to reconnect; nil while the connection works.
    private var failure: DiscoveryError?
    private var reports = FailureReports()

    /// Starts the thread; false if the system cannot start one.
    func start(_ name: String, _ makeWork: @escaping @Sendable (AvahiThread) -> any AvahiWork) -> Bool {
        Worker.start(name) { [self] in
            csockets_block_signals()
            work = makeWork(self)
            run()
            work = nil
        } != nil
    }

    /// Stops the work; `report` calls no body after the return.
    func stop() {
        // A forked child does not have the thread, but shares the descriptors that would wake the parent's thread.
        guard forks == ForkCount.now else { return }
        let caller = Worker.currentThread
        retry.end()
        shared.await { state -> Monitor<Shared>.Step<Void> in
            if !state.isStopped, let poll = state.poll { avahi_simple_poll_wakeup(poll) }
            state.isStopped = true
            return state.reporter == 0 || state.reporter == caller ? .done(()) : .wait(0, until: nil)
        }
    }

    /// Calls `body`, which reports to the owner, unless the work was stopped.
    func report(_ body: () -> Void) {
        let caller = Worker.currentThread
        let mayReport = shared.change { state in
            if !state.isStopped { state.reporter = caller }
            return !state.isStopped
        }
        guard mayReport else { return }
        body()
        shared.change { state in
            state.reporter = 0
            shared.mutex.wake(0)
        }
    }

    private var isStopped: Bool { shared.change { $0.isStopped } }

    private func run() {
        var pause = Duration.milliseconds(250)
        while !isStopped {
            failure = nil
            let hadClient = serve()
            if let failure { fail(failure) }
            // A daemon that restarts is back soon, so the pause is short. Otherwise, the pause doubles, up to 10 s.
            pause = hadClient ? .milliseconds(250) : min(pause * 2, .seconds(10))
            guard retry.sleep(for: pause) else { return }
        }
    }

    private func fail(_ error: DiscoveryError) {
        if reports.isNew(error) { work?.fail(error) }
    }

    /// Runs the main loop until the connection is lost; false if there was no connection.
    private func serve() -> Bool {
        guard let poll = avahi_simple_poll_new() else { return false }
        defer {
            shared.change { $0.poll = nil }
            avahi_simple_poll_free(poll)
        }
        var error: CInt = 0
        let data = Unmanaged.passUnretained(self).toOpaque()
        let api = avahi_simple_poll_get(poll)
        guard let client = avahi_client_new(api, AVAHI_CLIENT_NO_FAIL, clientCallback, data, &error) else {
            failure = DiscoveryError(error)
            return false
        }
        defer { avahi_client_free(client) }
        shared.change { $0.poll = poll }
        while !isStopped, failure == nil {
            if avahi_simple_poll_iterate(poll, -1) != 0 { failure = .daemonLost(reason: "the main loop failed") }
        }
        return true
    }

    fileprivate func clientChanged(_ client: OpaquePointer, _ state: AvahiClientState) {
        switch state {
        case AVAHI_CLIENT_S_RUNNING:
            reports.succeeded()
            work?.begin(client)
        case AVAHI_CLIENT_S_REGISTERING, AVAHI_CLIENT_S_COLLISION: work?.pause()
        case AVAHI_CLIENT_CONNECTING: fail(.noDaemon)
        // A client must not be freed in its own callback, so `run` handles the failure.
        default: failure = DiscoveryError(avahi_client_errno(client))
        }
    }
}

private func clientCallback(_ client: OpaquePointer?, _ state: AvahiClientState, _ data: UnsafeMutableRawPointer?) {
    guard let client, let data else { return }
    Unmanaged<AvahiThread>.fromOpaque(data).takeUnretainedValue().clientChanged(client, state)
}

/// Filters repeated failures: without a daemon, each attempt fails in the same way.
struct FailureReports {
    private var last: DiscoveryError?

    /// Whether the failure differs from the previous one.
    mutating func isNew(_ error: DiscoveryError) -> Bool {
        defer { last = error }
        return error != last
    }

    /// Makes `isNew` return true for the next failure, because the daemon runs.
    mutating func succeeded() { last = nil }
}
