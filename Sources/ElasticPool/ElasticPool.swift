import CGStreamer
public import GStreamer
import Synchronization
import Threads

/// A pool of buffers whose number changes while they are in use.
///
/// Replaces the queue of `GstBufferPool`, which can only grow. Any thread may call it, with any lock held: while `mutex`
/// is locked, nothing is allocated, freed, called or logged.
public final class ElasticPool: @unchecked Sendable {  // All mutable state is in `state`, guarded by `mutex`.
    struct State: ~Copyable {
        // The fields that every acquire and release uses come first, in as few cache lines as possible.
        var waiting = 0
        /// Buffers released beyond this number are freed.
        var target = 0
        /// Whether an acquire recently found no idle buffer at the limit; releases are then timed.
        var isTight = false
        /// The spare buffer, while it is in use.
        var spareInUse: RawBuffer?
        var shelf = BufferShelf()
        var counts = PoolCounts()
        // The fields for growing, waiting, starting and stopping follow.
        var recipe: PoolRecipe?
        var maker: MemoryMaker?
        /// The number of starts and stops; a buffer made for an older generation is freed.
        var generation = 0
        var isRunning = false
        /// Number of buffers up to which acquires may grow the pool.
        var limit = Int.max
        var whenEmpty = WhenEmpty.grow
        /// Number of buffers up to which acquires may grow the pool with `WhenEmpty.wait`.
        var assured = 0
        /// The spare buffer, while it is idle; its frame is dropped.
        var spare: RawBuffer?
        /// Whether acquires must not wait, because the stream flushes or stops.
        var mustNotWait = false
        /// While tight: the time of the last release, or of the first acquire that found no idle buffer.
        var quietSince = Duration.zero
        /// Longest time between two releases; decays from window to window.
        var longestGap = Duration.zero
    }

    let host: BufferPoolHost
    /// The C instance, which outlives this object.
    private let raw: UnsafeMutablePointer<GstBufferPool>

    /// Guards `state`; its one condition wakes the acquires that wait.
    let mutex = ConditionMutex(conditions: 1)
    let state = UnsafeMutablePointer<State>.allocate(capacity: 1)

    /// Equals `counts.acquires`, but can be read without the mutex.
    let tick = Atomic<UInt>(0)

    /// Holds a reference to this pool, so the owner outlives it.
    private(set) unowned(unsafe) var owner: (any ElasticBufferPool)!

    public init(_ host: BufferPoolHost) {
        self.host = host
        // The C instance makes this object.
        raw = host.withUnsafePointer { $0 }!
        state.initialize(to: State())
    }

    /// Sets the owner, which must hold a reference to this pool; called once, before any other method.
    public func setOwner(_ owner: any ElasticBufferPool) { self.owner = owner }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Whether the pool is flushing, in which case acquires fail.
    @inline(__always)
    var isFlushing: Bool { cgst_pool_is_flushing(raw) != 0 }

    func locked<R>(_ body: (inout State) -> R) -> R {
        mutex.lock()
        defer { mutex.unlock() }
        return body(&state.pointee)
    }

    /// Wakes all acquires that wait, when the mutex is unlocked; requires the mutex.
    func wake() { mutex.wake(0) }

    func wakeAll() { locked { _ in wake() } }

    /// Replaces the recipe; called while no buffer is in use.
    func use(_ recipe: PoolRecipe) {
        // The old recipe is freed after the mutex is unlocked.
        let old = locked { state in
            let old = state.recipe
            state.recipe = recipe
            state.counts.bytesInBuffer = Int(recipe.size)
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Makes a buffer that the pool does not count.
    func allocate() throws(FlowResult) -> Buffer {
        let (recipe, maker) = locked { ($0.recipe, $0.maker) }
        guard let recipe, let maker = maker ?? MemoryMaker(.system),
            let buffer = recipe.makeBuffer(maker, touch: false)
        else { throw .error }
        return Buffer(unsafeTaking: buffer)
    }

    // MARK: - For the owner

    public var counts: PoolCounts {
        locked { state in
            var counts = state.counts
            counts.inUse = state.shelf.usedCount
            counts.waiting = state.waiting
            counts.peak = max(counts.peak, counts.peakInWindow)
            return counts
        }
    }

    /// Returns the counters and begins a new window.
    public func endWindow() -> PoolCounts {
        let counts = self.counts
        locked { state in
            state.counts.peak = max(state.counts.peak, state.counts.peakInWindow)
            state.counts.peakInWindow = state.shelf.usedCount
            if !state.counts.hitLimit, state.waiting == 0 { state.isTight = false }
            state.counts.hitLimit = false
            state.longestGap -= state.longestGap / 8
        }
        return counts
    }

    /// Notes that the element of `host` has passed `frame` on; true when it is the spare buffer, whose frame is to be
    /// dropped.
    public func passes(_ frame: borrowing Buffer, _ host: ElementHost) -> Bool {
        passes(frame.withUnsafePointer { $0 }, host)
    }

    private func passes(_ buffer: RawBuffer, _ host: ElementHost) -> Bool {
        let (isSpare, acquiredAt) = locked { state in
            (state.spareInUse == buffer, state.shelf.markPassed(buffer))
        }
        PoolMarks.fill.mark(since: acquiredAt, frame: PoolMarks.frame(buffer, host))
        return isSpare
    }
}
