import CGStreamer
import Synchronization

/// A pool of buffers whose number changes while they are in use.
///
/// Takes the place of GstBufferPool's own queue, which only grows. Any thread may call it, whatever it holds: while
/// `mutex` is held nothing is made, freed, called or logged.
public final class ElasticPool: @unchecked Sendable {  // All that changes is in `state`, guarded by `mutex`.
    struct State: ~Copyable {
        // What every acquire and release touches stands together, in as few cache lines as it can.
        var waiting = 0
        /// Buffers that come back when there are more than this are freed.
        var target = 0
        /// Whether acquires lately found no idle buffer at the limit; then the pool measures when buffers come back.
        var isTight = false
        /// A buffer to be thrown away, while it is in use.
        var spareInUse: RawBuffer?
        var shelf = BufferPoolShelf()
        var counts = PoolCounts()
        // What follows is for those who grow, wait, start and stop.
        var recipe: PoolRecipe?
        var maker: MemoryMaker?
        /// Counts starts and stops, so that who made a buffer meanwhile knows that nobody wants it any more.
        var generation = 0
        var isRunning = false
        /// How far acquires may grow the pool.
        var limit = Int.max
        var whenEmpty = WhenEmpty.grow
        /// How far an acquire may grow the pool even where it is to wait.
        var assured = 0
        /// The buffer to be thrown away, while it is idle.
        var spare: RawBuffer?
        /// Whether acquires may not wait, since the stream flushes or stops.
        var isHurried = false
        /// While the pool is tight: when a buffer came back last, or the first acquire found none; nanoseconds.
        var quietSince: UInt64 = 0
        /// The longest time between two buffers that came back; it fades from window to window.
        var longestGap: UInt64 = 0
    }

    /// GLib's locks must not move in memory.
    ///
    /// The mutex and the state it guards share a cache line.
    let mutex: UnsafeMutablePointer<GMutex>
    let state: UnsafeMutablePointer<State>
    let changed = UnsafeMutablePointer<GCond>.allocate(capacity: 1)

    /// As `counts.acquires`, but readable without the lock.
    private let tick = Atomic<UInt>(0)

    /// Set once, before any call comes in.
    unowned(unsafe) var kind: (any BufferPoolKind)!

    init() {
        let offset = max(MemoryLayout<GMutex>.size, MemoryLayout<State>.alignment)
        let room = UnsafeMutableRawPointer.allocate(byteCount: offset + MemoryLayout<State>.size, alignment: 64)
        mutex = room.bindMemory(to: GMutex.self, capacity: 1)
        state = (room + offset).bindMemory(to: State.self, capacity: 1)
        state.initialize(to: State())
        g_mutex_init(mutex)
        g_cond_init(changed)
    }

    deinit {
        g_mutex_clear(mutex)
        g_cond_clear(changed)
        state.deinitialize(count: 1)
        UnsafeMutableRawPointer(mutex).deallocate()
        changed.deallocate()
    }

    /// The lock is held for nanoseconds, so it is worth looking again before going to sleep.
    @inline(__always)
    func lock() {
        if g_mutex_trylock(mutex) == 0 { lockSlowly() }
    }

    @inline(never)
    private func lockSlowly() {
        // Ever longer pauses, so that two who want it do not take its cache line from each other all the time.
        var pauses = 16
        while pauses <= 128 {
            for _ in 0..<pauses { cgst_pause() }
            if g_mutex_trylock(mutex) != 0 { return }
            pauses *= 2
        }
        g_mutex_lock(mutex)
    }

    @inline(__always)
    func unlock() { g_mutex_unlock(mutex) }

    func locked<R>(_ body: (inout State) -> R) -> R {
        lock()
        defer { unlock() }
        return body(&state.pointee)
    }

    /// Wakes all who wait; under the lock.
    func wake() { g_cond_broadcast(changed) }

    func wakeAll() { locked { _ in wake() } }

    /// A buffer that does not belong to the shelf, for whoever calls the C method.
    func makeLoose() -> RawBuffer? {
        let (recipe, maker) = locked { ($0.recipe, $0.maker) }
        guard let recipe, let maker = maker ?? MemoryMaker(.system) else { return nil }
        return recipe.makeBuffer(maker, touch: false)
    }

    // MARK: - Acquire and release

    @inline(__always)
    func acquire(_ pool: UnsafeMutablePointer<GstBufferPool>, dontWait: Bool) -> (GstFlowReturn, RawBuffer?) {
        let isTimed = tick.load(ordering: .relaxed) & 15 == 0
        let begin = isTimed ? gst_util_get_timestamp() : 0
        lock()
        guard cgst_pool_is_flushing(pool) == 0, state.pointee.shelf.idleCount > 0 else {
            return acquireSlowly(pool, dontWait: dontWait)
        }
        let buffer = state.pointee.shelf.takeIdle()
        took(buffer)
        unlock()
        if isTimed { kind.acquired(afterNanoseconds: UInt64(gst_util_get_timestamp() &- begin), foundIdle: true) }
        return (GST_FLOW_OK, buffer)
    }

    /// Called with the lock, gives it back.
    @inline(never)
    private func acquireSlowly(
        _ pool: UnsafeMutablePointer<GstBufferPool>, dontWait: Bool
    ) -> (GstFlowReturn, RawBuffer?) {
        let begin = gst_util_get_timestamp()
        var waitedSince: GstClockTime?
        while true {
            guard cgst_pool_is_flushing(pool) == 0 else {
                finishWait(waitedSince)
                unlock()
                return (GST_FLOW_FLUSHING, nil)
            }
            var buffer: RawBuffer?
            var lacksMemory = false
            if state.pointee.shelf.idleCount > 0 {
                buffer = state.pointee.shelf.takeIdle()
            } else if mayGrow {
                buffer = makeOne()
                lacksMemory = buffer == nil
                // While others are in use, one of them may come back.
                if lacksMemory, state.pointee.counts.size == 0, cgst_pool_is_flushing(pool) == 0 {
                    finishWait(waitedSince)
                    unlock()
                    kind.ranOutOfMemory()
                    return (GST_FLOW_ERROR, nil)
                }
            }
            if let buffer {
                took(buffer)
                finishWait(waitedSince)
                unlock()
                kind.acquired(afterNanoseconds: UInt64(gst_util_get_timestamp() &- begin), foundIdle: false)
                return (GST_FLOW_OK, buffer)
            }
            if state.pointee.isHurried {
                finishWait(waitedSince)
                unlock()
                return (GST_FLOW_FLUSHING, nil)
            }
            var patience: UInt64? = lacksMemory ? 1_000_000_000 : nil
            if !lacksMemory, isAtLimit {
                switch askWhetherToWait() {
                case .grow(let limit):
                    raise(to: limit)
                    continue
                case .wait(let nanoseconds): patience = nanoseconds
                }
                // What has come back, or has begun, while the lock was given away.
                if state.pointee.shelf.idleCount > 0 || mayGrow || cgst_pool_is_flushing(pool) != 0 { continue }
            }
            if waitedSince == nil { countStall(lacksMemory: lacksMemory) }
            if state.pointee.whenEmpty == .drop, !dontWait, let spare = takeSpare() {
                finishWait(waitedSince)
                unlock()
                return (GST_FLOW_OK, spare)
            }
            if dontWait {
                unlock()
                return (GST_FLOW_EOS, nil)
            }
            waitedSince = waitedSince ?? begin
            // What could not be made while the lock was given away may have come back meanwhile.
            if state.pointee.shelf.idleCount > 0 { continue }
            wait(nanoseconds: patience)
        }
    }

    private func finishWait(_ since: GstClockTime?) {
        guard let since else { return }
        state.pointee.counts.stallNanoseconds += UInt64(gst_util_get_timestamp() &- since)
    }

    /// Makes a buffer with the lock given away meanwhile; nil when there is no memory left.
    private func makeOne() -> RawBuffer? {
        guard let recipe = state.pointee.recipe, let maker = state.pointee.maker else { return nil }
        let targetBefore = state.pointee.target
        state.pointee.counts.added()
        state.pointee.counts.grown += 1
        // What a flush has made goes when it comes back.
        if !state.pointee.isHurried { state.pointee.target = max(state.pointee.target, state.pointee.counts.size) }
        state.pointee.shelf.reserve(state.pointee.counts.size)
        unlock()
        let buffer = recipe.makeBuffer(maker, touch: false)
        lock()
        if let buffer { return buffer }
        state.pointee.counts.size -= 1
        state.pointee.counts.grown -= 1
        state.pointee.counts.failures += 1
        state.pointee.target = max(min(state.pointee.target, state.pointee.counts.size), targetBefore)
        if state.pointee.waiting > 0 { g_cond_signal(changed) }
        unlock()
        kind.couldNotMakeBuffer()
        lock()
        return nil
    }

    private func takeSpare() -> RawBuffer? {
        guard let spare = state.pointee.spare else { return nil }
        state.pointee.spare = nil
        state.pointee.spareInUse = spare
        state.pointee.counts.thrownAway += 1
        return spare
    }

    private func countStall(lacksMemory: Bool) {
        state.pointee.counts.stalls += 1
        if !lacksMemory { state.pointee.counts.hitLimit = true }
    }

    @inline(__always)
    private func took(_ buffer: RawBuffer) {
        state.pointee.shelf.putUsed(buffer)
        state.pointee.counts.acquires &+= 1
        tick.store(UInt(truncatingIfNeeded: state.pointee.counts.acquires), ordering: .relaxed)
        let inUse = state.pointee.shelf.usedCount
        if inUse > state.pointee.counts.peakInWindow { state.pointee.counts.peakInWindow = inUse }
    }

    /// Takes a buffer back; true when the caller has to free it.
    @inline(__always)
    func release(_ buffer: RawBuffer) -> Bool {
        let isIntact =
            cgst_buffer_is_tagged(buffer) == 0 && gst_buffer_get_size(buffer) == sizeInUse
            && gst_buffer_is_all_memory_writable(buffer) != 0
        lock()
        if state.pointee.spareInUse == buffer { return releaseSpare(buffer, isIntact: isIntact) }
        if state.pointee.isTight { measureGap() }
        state.pointee.shelf.removeUsed(buffer)
        let isKept = isIntact && state.pointee.counts.size <= state.pointee.target
        if isKept {
            state.pointee.shelf.putIdle(buffer)
        } else {
            state.pointee.counts.size -= 1
            if !isIntact { state.pointee.counts.discarded += 1 }
        }
        if state.pointee.waiting > 0 { g_cond_signal(changed) }
        unlock()
        return !isKept
    }

    /// Called with the lock, gives it back.
    private func releaseSpare(_ buffer: RawBuffer, isIntact: Bool) -> Bool {
        state.pointee.spareInUse = nil
        if isIntact { state.pointee.spare = buffer }
        if state.pointee.waiting > 0 { g_cond_signal(changed) }
        unlock()
        return !isIntact
    }

    /// The size buffers must have when they come back; changes only while none is in use.
    private var sizeInUse: gsize { gsize(state.pointee.counts.bytesInBuffer) }
}
