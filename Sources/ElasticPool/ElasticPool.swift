import CGStreamer
public import GStreamer
import Synchronization
import Threads

/// A pool of buffers whose number can change while buffers are in use.
///
/// The pool replaces the queue of `GstBufferPool`, which can only grow. Any thread may call its methods, with any lock
/// held. With `mutex` locked, no buffer is allocated or freed, nothing is logged, and no other object is called.
public final class ElasticPool: @unchecked Sendable {  // All mutable state is in `state`, guarded by `mutex`.
    struct State: ~Copyable {
        // The fields that each acquire and release uses come first, in as few cache lines as possible.
        var waiting = 0
        /// Number of buffers above which a released buffer is freed.
        var target = 0
        /// Whether an acquire recently found no idle buffer at the limit; the time between releases is then measured.
        var isTight = false
        /// The spare buffer while it is in use.
        var spareInUse: RawBuffer?
        var shelf = BufferShelf()
        var counts = PoolCounts()
        // Fields for growth, waits, start and stop follow.
        var recipe: PoolRecipe?
        var maker: MemoryMaker?
        /// Number of starts and stops; a buffer that was allocated for an older generation is freed.
        var generation = 0
        var isRunning = false
        /// Number of buffers up to which acquires may grow the pool.
        var limit = Int.max
        var whenEmpty = WhenEmpty.grow
        /// Number of buffers up to which acquires may grow the pool with `WhenEmpty.wait`.
        var assured = 0
        /// The spare buffer while it is idle; a frame in the spare buffer is dropped.
        var spare: RawBuffer?
        /// Whether acquires must not wait, because the stream flushes or stops.
        var mustNotWait = false
        /// While `isTight` is true, the time of the last release, or of the first acquire that found no idle buffer.
        var quietSince = Duration.zero
        /// Longest recent time between two releases; an eighth is subtracted at the end of each window.
        var longestGap = Duration.zero
    }

    let host: BufferPoolHost
    /// The C instance, which outlives this object.
    private let raw: UnsafeMutablePointer<GstBufferPool>

    /// Guards `state`; its only condition wakes the waiting acquires.
    let mutex = ConditionMutex(conditions: 1)
    let state = UnsafeMutablePointer<State>.allocate(capacity: 1)

    /// Copy of `counts.acquires` that can be read without the mutex.
    let tick = Atomic<UInt>(0)

    /// The pool class of this pool; the reference is unowned, because the owner holds a reference to this pool.
    private(set) unowned(unsafe) var owner: (any ElasticBufferPool)!

    /// Creates a stopped pool.
    public init(_ host: BufferPoolHost) {
        self.host = host
        // The C instance creates this object, so the pointer is not nil.
        raw = host.withUnsafePointer { $0 }!
        state.initialize(to: State())
    }

    /// Sets the owner, which must hold a reference to this pool; called once, before any other method.
    public func setOwner(_ owner: any ElasticBufferPool) { self.owner = owner }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Whether the pool is flushing; acquires then fail.
    @inline(__always)
    var isFlushing: Bool { cgst_pool_is_flushing(raw) != 0 }

    func locked<R>(_ body: (inout State) -> R) -> R {
        mutex.lock()
        defer { mutex.unlock() }
        return body(&state.pointee)
    }

    /// Wakes all waiting acquires when the mutex is unlocked; the mutex must be locked.
    func wake() { mutex.wake(0) }

    func wakeAll() { locked { _ in wake() } }

    /// Replaces the recipe while no buffer is in use.
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

    /// Allocates a buffer that the pool does not count.
    func allocate() throws(FlowResult) -> Buffer {
        let (recipe, maker) = locked { ($0.recipe, $0.maker) }
        guard let recipe, let maker = maker ?? MemoryMaker(.system),
            let buffer = recipe.makeBuffer(maker, touch: false)
        else { throw .error }
        return Buffer(unsafeTaking: buffer)
    }

    // MARK: - For the owner

    /// Counters since the start; any thread may read them.
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

    /// Records that `frame` has passed the element of `host`; true for the spare buffer, whose frame is dropped.
    public func passes(_ frame: borrowing Buffer, _ host: ElementHost) -> Bool {
        let buffer = frame.withUnsafePointer { $0 }
        let (isSpare, acquiredAt) = locked { state in
            (state.spareInUse == buffer, state.shelf.markPassed(buffer))
        }
        PoolMarks.fill.mark(since: acquiredAt, frame: PoolMarks.frame(frame, host))
        return isSpare
    }
}

/// The buffers of a pool that are idle, and the buffers that are in use.
///
/// `ElasticPool` calls the methods with its mutex locked. After `init`, only `reserve` and `median` allocate memory.
struct BufferShelf: ~Copyable {
    struct Use {
        /// Number of acquires before this one.
        let turn: UInt64
        /// The watched sink pads that the buffer has passed; each pad has one bit.
        var seen: UInt64 = 0
        /// Whether the buffer has passed the element that offers the pool.
        var hasPassed = false
        /// Time of the acquire for a trace; 0 if no trace is recorded.
        let acquiredAt: UInt64
    }

    /// A stack; the first buffer has been idle for the longest time.
    private var idle: UnsafeMutablePointer<RawBuffer>
    private(set) var idleCount = 0
    /// Buffers in use, unordered; `uses` has the same indices but is separate, because a search reads only `used`.
    private var used: UnsafeMutablePointer<RawBuffer>
    private(set) var usedCount = 0
    private var uses: UnsafeMutablePointer<Use>
    /// Number of acquires.
    private(set) var turn: UInt64 = 0
    private var capacity: Int

    init(capacity: Int = 32) {
        self.capacity = capacity
        idle = .allocate(capacity: capacity)
        used = .allocate(capacity: capacity)
        uses = .allocate(capacity: capacity)
    }

    deinit {
        idle.deallocate()
        used.deallocate()
        uses.deallocate()
    }

    mutating func reserve(_ count: Int) {
        guard count > capacity else { return }
        let larger = max(count, capacity * 2)
        idle = Self.moved(idle, idleCount, larger)
        used = Self.moved(used, usedCount, larger)
        uses = Self.moved(uses, usedCount, larger)
        capacity = larger
    }

    private static func moved<T>(_ old: UnsafeMutablePointer<T>, _ count: Int, _ capacity: Int) -> UnsafeMutablePointer<
        T
    > {
        let new = UnsafeMutablePointer<T>.allocate(capacity: capacity)
        new.moveInitialize(from: old, count: count)
        old.deallocate()
        return new
    }

    @inline(__always)
    mutating func putIdle(_ buffer: RawBuffer) {
        (idle + idleCount).initialize(to: buffer)
        idleCount += 1
    }

    /// Removes and returns the buffer that was released last; there must be an idle buffer.
    @inline(__always)
    mutating func takeIdle() -> RawBuffer {
        idleCount -= 1
        return idle[idleCount]
    }

    /// Removes and returns the buffer that is idle for the longest time; there must be an idle buffer.
    mutating func takeOldestIdle() -> RawBuffer {
        let buffer = idle[0]
        idleCount -= 1
        idle.update(from: idle + 1, count: idleCount)
        return buffer
    }

    @inline(__always)
    mutating func putUsed(_ buffer: RawBuffer, at time: UInt64 = 0) {
        (used + usedCount).initialize(to: buffer)
        (uses + usedCount).initialize(to: Use(turn: turn, acquiredAt: time))
        usedCount += 1
        turn &+= 1
    }

    @inline(__always)
    mutating func removeUsed(_ buffer: RawBuffer) {
        var index = 0
        while index < usedCount, used[index] != buffer { index += 1 }
        guard index < usedCount else { return }
        usedCount -= 1
        used[index] = used[usedCount]
        uses[index] = uses[usedCount]
    }

    /// Records that `buffer` has entered the element with bit `bit`.
    func markSeen(_ buffer: RawBuffer, bit: Int) {
        var index = 0
        while index < usedCount, used[index] != buffer { index += 1 }
        if index < usedCount { uses[index].seen |= 1 << UInt64(bit) }
    }

    /// Records that `buffer` has passed the element that offers the pool; returns the time of its acquire, or 0.
    func markPassed(_ buffer: RawBuffer) -> UInt64 {
        // The search begins at the end, because recently acquired buffers are near the end.
        var index = usedCount - 1
        while index >= 0, used[index] != buffer { index -= 1 }
        guard index >= 0 else { return 0 }
        defer { uses[index].hasPassed = true }
        // A frame that passes a second time was filled before its first pass.
        return uses[index].hasPassed ? 0 : uses[index].acquiredAt
    }

    func clearSeen() { for index in 0..<usedCount { uses[index].seen = 0 } }

    /// The buffer that is in use for the longest time; nil if none is in use.
    var oldest: (buffer: RawBuffer, use: Use)? {
        guard let index = (0..<usedCount).min(by: { uses[$0].turn < uses[$1].turn }) else { return nil }
        return (used[index], uses[index])
    }

    /// The buffer in use of median age; nil if none is in use.
    ///
    /// The getter sorts the buffers, so it is not called for each frame.
    var median: (buffer: RawBuffer, use: Use)? {
        guard usedCount > 0 else { return nil }
        let index = (0..<usedCount).sorted { uses[$0].turn < uses[$1].turn }[usedCount / 2]
        return (used[index], uses[index])
    }
}

typealias RawBuffer = UnsafeMutablePointer<GstBuffer>

extension RawBuffer {
    /// Size in bytes; nil if the memory was replaced or has other owners.
    @inline(__always)
    var intactSize: Int? {
        let isIntact = cgst_buffer_is_tagged(self) == 0 && gst_buffer_is_all_memory_writable(self) != 0
        return isIntact ? Int(gst_buffer_get_size(self)) : nil
    }

    func unref() { gst_buffer_unref(self) }
}
