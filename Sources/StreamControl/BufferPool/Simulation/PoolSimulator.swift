/// Plays a camera, a pool and one consumer against each other, without a clock.
///
/// The camera wants a buffer for every frame at the time of the frame. When none is to be had, the frame stalls until one
/// is given back, and the frames of the time that has passed are missed. The consumer works on one frame after the
/// other and then gives its buffer back.
public struct PoolSimulator {
    public enum Policy: Sendable {
        case fixed(Int)
        /// `growsOnDemand`: the pool may grow at once when none is idle, and not only at the end of a window.
        case adaptive(PoolRules, growsOnDemand: Bool)
    }

    public struct Result: Sendable, Equatable {
        public var frames = 0
        /// Frames that had to wait for a buffer.
        public var stalled = 0
        /// Frames that were never taken, since the one before still waited.
        public var missed = 0
        /// Frames whose buffer had to be made while they waited.
        public var grownOnDemand = 0
        public var resizes = 0
        /// Resizes against the direction of one at most five seconds before.
        public var reversals = 0
        public var windows = 0
        public var meanSize = 0.0
        public var peakSize = 0
        public var breakerOpenWindows = 0
    }

    public static let windowMicroseconds: Int64 = 500_000

    private let policy: Policy
    private var trace: LoadTrace
    private var controller: PoolController
    private var size: Int
    /// Buffers that go away as soon as they are given back.
    private var surplus = 0
    /// When each buffer in use will be given back, in order.
    private var releases: [Int64] = []
    private var firstRelease = 0
    private var consumerFreeAt: Int64 = 0
    private var window = PoolWindow(size: 0, peakInUse: 0)
    private var result = Result()
    private var lastResize: (grew: Bool, at: Int64)?
    private var sizeTime = 0.0
    private var sizeSince: Int64 = 0

    private var inUse: Int { releases.count - firstRelease }

    public init(_ policy: Policy, _ shape: LoadTrace.Shape, seed: UInt64) {
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

    /// Plays so many frames from the beginning.
    public static func run(_ policy: Policy, _ shape: LoadTrace.Shape, seed: UInt64, frames: Int) -> Result {
        var simulator = PoolSimulator(policy, shape, seed: seed)
        return simulator.play(frames)
    }

    private mutating func play(_ frames: Int) -> Result {
        var nextWindow = Self.windowMicroseconds
        result.peakSize = size
        var now: Int64 = 0
        for _ in 0..<frames {
            while nextWindow <= now {
                giveBack(until: nextWindow)
                windowEnded(at: nextWindow)
                nextWindow += Self.windowMicroseconds
            }
            giveBack(until: now)
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

    /// Returns when the frame got its buffer.
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
                // Surplus buffers go away first, so the wait is for the one after them.
                while inUse >= size - surplus { taken = giveBackNext() }
            }
        }
        consumerFreeAt = max(consumerFreeAt, taken) + work
        releases.append(consumerFreeAt)
        window.peakInUse = max(window.peakInUse, inUse)
        return taken
    }

    private mutating func growOnDemand(at now: Int64) -> Bool {
        guard case .adaptive(_, growsOnDemand: true) = policy, size - surplus < controller.mayGrowTo else {
            return false
        }
        if surplus > 0 { surplus -= 1 } else { resized(to: size + 1, at: now) }
        return true
    }

    private mutating func giveBack(until now: Int64) {
        while firstRelease < releases.count, releases[firstRelease] <= now { _ = giveBackNext() }
        if firstRelease > 4096 {
            releases.removeFirst(firstRelease)
            firstRelease = 0
        }
    }

    /// Returns when it was; not called unless a buffer is in use.
    private mutating func giveBackNext() -> Int64 {
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
        window.inUse = inUse
        defer { window = PoolWindow(size: size, peakInUse: inUse) }
        guard case .adaptive = policy else { return }
        let action = controller.windowEnded(window, at: .microseconds(now))
        if controller.breaker == .open { result.breakerOpenWindows += 1 }
        guard case .resize(let target, _) = action else { return }
        result.resizes += 1
        let grew = target > size
        if let lastResize, lastResize.grew != grew, now - lastResize.at <= 5_000_000 { result.reversals += 1 }
        lastResize = (grew, now)
        // What is in use cannot go at once.
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
