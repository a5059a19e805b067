import TestSupport
import Durations
@testable import SendspinProtocol

/// A simulated server with its own clock, a network with delays, and the clock of the client.
struct SimulatedServer {
    var clock = ServerClock(now: .zero)
    var random: Random
    var now = Duration.zero
    /// Server time minus local time at time 0.
    var offset = Duration.seconds(1000)
    /// Rate of the server clock minus 1.
    var drift = 0.0
    /// Minimum delay of a message, and scale of the random additional delay, in seconds.
    var delay = 0.0002
    var jitter = 0.0005
    /// Probability that a message is lost.
    var loss = 0.0
    /// Time between the arrival of a request and its reply.
    var turnaround = Duration.microseconds(30)
    var requestCount = 0
    var changes: [(time: Duration, change: ServerClock.Change)] = []

    init(seed: UInt64 = 1) { random = Random(seed: seed) }

    func serverTime(at local: Duration) -> Duration { local + offset + Duration(seconds: drift * local.inSeconds) }

    /// Present error of the estimate; nil if there is no estimate.
    var error: Duration? { clock.estimate.map { $0.serverTime(at: now) - serverTime(at: now) } }

    private mutating func messageDelay() -> Duration {
        let uniform = Double.random(in: 0.001..<1, using: &random)
        // The distribution has a heavy tail: most messages are fast, and a few are slow.
        return Duration(seconds: delay + jitter * (1 / uniform.squareRoot() - 1))
    }

    private mutating func isLost() -> Bool { Double.random(in: 0..<1, using: &random) < loss }

    mutating func run(until end: Duration) {
        while true {
            let time = max(clock.deadline, now)
            guard time < end else { break }
            now = time
            let (request, change) = clock.advance(to: now)
            note(change)
            guard let request else { continue }
            requestCount += 1
            guard !isLost() else { continue }
            let received = now + messageDelay()
            let transmitted = received + turnaround
            let arrived = transmitted + messageDelay()
            let exchange = TimeExchange(
                sent: request, received: serverTime(at: received), transmitted: serverTime(at: transmitted),
                arrived: arrived)
            now = arrived
            note(clock.replyArrived(exchange))
        }
        now = end
    }

    private mutating func note(_ change: ServerClock.Change) {
        if change != .none { changes.append((now, change)) }
    }
}

extension SimulatedServer {
    /// Mean rate at which updates, but not steps, have moved the estimate since the start.
    var updatedRate: Double {
        var moved = 0.0
        var last: ClockEstimate?
        for (time, change) in changes {
            switch change {
            case .updated(let estimate):
                if let last { moved += (estimate.serverTime(at: time) - last.serverTime(at: time)).inSeconds }
                last = estimate
            case .stepped(let estimate): last = estimate
            case .none, .erratic: break
            }
        }
        return moved / now.inSeconds
    }
}
