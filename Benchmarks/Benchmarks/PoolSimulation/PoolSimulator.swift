import PoolPolicy

/// Simulates a camera, a pool and one consumer, in simulated time.
///
/// The camera acquires a buffer for every frame at the time of the frame. If no buffer is idle, the frame stalls until
/// a buffer is released, and the camera misses the frames of that time. The consumer works on one frame at a time, and
/// releases its buffer afterwards.
package struct PoolSimulator {
    package enum Policy: Sendable {
        case fixed(Int)
        /// With `growsOnDemand` an acquire that finds no idle buffer may make one; otherwise the pool grows only at the end
        /// of a window.
        case adaptive(PoolRules, growsOnDemand: Bool)
    }

    package struct Result: Sendable, Equatable {
        package var frames = 0
        /// Frames that had to wait for a buffer.
        package var stalled = 0
        /// Frames that the camera did not capture, because the previous frame still waited.
        package var missed = 0
        /// Frames whose acquire made a buffer.
        package var grownOnDemand = 0
        package var resizes = 0
        /// Resizes within five seconds after a resize in the opposite direction.
        package var reversals = 0
        package var windows = 0
        package var meanSize = 0.0
        package var peakSize = 0
        package var breakerOpenWindows = 0
    }

    package static let windowMicroseconds: Int64 = 500_000

    private let policy: Policy
    private var trace: LoadTrace
    private var controller: PoolController
    private var size: Int
    /// Buffers that are freed as soon as they are released.
    private var surplus = 0
    /// Times at which the buffers in use are released, in order.
    private var releases: [Int64] = []
    private var firstRelease = 0
    private var consumerFreeAt: Int64 = 0
    private var window = PoolWindow(size: 0, peakInUse: 0)
    private var result = Result()
    private var lastResize: (grew: Bool, at: Int64)?
    private var sizeTime = 0.0
    private var sizeSince: Int64 = 0

    private var inUse: Int { releases.count - firstRelease }

    package init(_ policy: Policy, _ shape: LoadTrace.Shape, seed: UInt64) {
        self.policy = policy
        trace = LoadTrace(shape, seed: seed)
        switch policy {
        case .fixed(let count):
            size = count
            controller = PoolController(PoolRules())
        case .adaptive(let rules, _):
            controller = PoolController(rules)
            size = controller.rules.floor
        }
    }

    /// Simulates a number of frames from the start of a trace.
    package static func run(_ policy: Policy, _ shape: LoadTrace.Shape, seed: UInt64, frames: Int) -> Result {
        var simulator = PoolSimulator(policy, shape, seed: seed)
        return simulator.play(frames)
    }

    private mutating func play(_ frames: Int) -> Result {
        var nextWindow = Self.windowMicroseconds
        result.peakSize = size
        var now: Int64 = 0
        for _ in 0..<frames {
            while nextWindow <= now {
                release(until: nextWindow)
                windowEnded(at: nextWindow)
                nextWindow += Self.windowMicroseconds
            }
            release(until: now)
            let taken = frameArrived(at: now)
            now += LoadTrace.frameMicroseconds
            while now < taken {
                now += LoadTrace.frameMicroseconds
                result.missed += 1
            }
        }
        resized(to: size, at: now)
        result.frames = frames
        result.meanSize = now > 0 ? sizeTime / Double(now) : 0
        return result
    }

    /// Returns the time at which the frame got its buffer.
    private mutating func frameArrived(at now: Int64) -> Int64 {
        let work = trace.next()
        var taken = now
        window.acquires += 1
        if inUse >= size - surplus {
            if growOnDemand(at: now) {
                result.grownOnDemand += 1
            } else {
                result.stalled += 1
                window.stalls += 1
                // Surplus buffers are freed first; the frame gets the next released buffer after them.
                while inUse >= size - surplus { taken = releaseNext() }
            }
        }
        consumerFreeAt = max(consumerFreeAt, taken) + work
        releases.append(consumerFreeAt)
        window.peakInUse = max(window.peakInUse, inUse)
        return taken
    }

    private mutating func growOnDemand(at now: Int64) -> Bool {
        guard case .adaptive(_, growsOnDemand: true) = policy, size - surplus < controller.limit else {
            return false
        }
        if surplus > 0 { surplus -= 1 } else { resized(to: size + 1, at: now) }
        return true
    }

    private mutating func release(until now: Int64) {
        while firstRelease < releases.count, releases[firstRelease] <= now { _ = releaseNext() }
        if firstRelease > 4096 {
            releases.removeFirst(firstRelease)
            firstRelease = 0
        }
    }

    /// Releases a buffer and returns the time of the release; a buffer must be in use.
    private mutating func releaseNext() -> Int64 {
        let time = releases[firstRelease]
        firstRelease += 1
        if surplus > 0 {
            surplus -= 1
            resized(to: size - 1, at: max(time, sizeSince))
        }
        return time
    }

    private mutating func windowEnded(at now: Int64) {
        result.windows += 1
        window.size = size - surplus
        defer { window = PoolWindow(size: size, peakInUse: inUse) }
        guard case .adaptive = policy else { return }
        let action = controller.windowEnded(window, at: .microseconds(now))
        if controller.breaker == .open { result.breakerOpenWindows += 1 }
        guard case .resize(let target, _) = action else { return }
        result.resizes += 1
        let grew = target > size
        if let lastResize, lastResize.grew != grew, now - lastResize.at <= 5_000_000 { result.reversals += 1 }
        lastResize = (grew, now)
        // Buffers in use cannot be freed.
        surplus = max(0, inUse - target)
        resized(to: max(target, inUse), at: now)
    }

    private mutating func resized(to newSize: Int, at now: Int64) {
        sizeTime += Double(size) * Double(now - sizeSince)
        sizeSince = now
        size = newSize
        result.peakSize = max(result.peakSize, size)
    }
}
