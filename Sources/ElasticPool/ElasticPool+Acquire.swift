public import GStreamer
import PoolPolicy
import Threads
import Tracing

extension ElasticPool {
    @usableFromInline
    func acquire(waits: Bool) throws(FlowResult) -> Buffer {
        let span = PoolMarks.acquire.begin()
        defer { span.end() }
        let isTimed = tick.load(ordering: .relaxed) & 15 == 0
        let began = isTimed ? MonotonicClock.now : .zero
        mutex.lock()
        guard !isFlushing, state.pointee.shelf.idleCount > 0 else {
            return Buffer(unsafeTaking: try acquireSlowly(waits: waits))
        }
        let buffer = state.pointee.shelf.takeIdle()
        took(buffer)
        mutex.unlock()
        if isTimed { owner.acquired(after: MonotonicClock.now - began, foundIdle: true) }
        return Buffer(unsafeTaking: buffer)
    }

    @inline(__always)
    private func took(_ buffer: RawBuffer) {
        state.pointee.shelf.putUsed(buffer, at: TraceSlices.now)
        state.pointee.counts.acquires &+= 1
        tick.store(UInt(truncatingIfNeeded: state.pointee.counts.acquires), ordering: .relaxed)
        let inUse = state.pointee.shelf.usedCount
        if inUse > state.pointee.counts.peakInWindow { state.pointee.counts.peakInWindow = inUse }
    }

    /// Outcome of one attempt to acquire a buffer.
    private enum Attempt {
        case buffer(RawBuffer)
        /// The spare buffer, whose frame is dropped.
        case spare(RawBuffer)
        case fail(FlowResult, lacksMemory: Bool = false)
        /// Wait for a release, at most for this time; nil means that there is no timeout.
        case wait(atMost: Duration?)
        case retry
    }

    /// The mutex must be locked; the method unlocks it.
    @inline(never)
    private func acquireSlowly(waits: Bool) throws(FlowResult) -> RawBuffer {
        let began = MonotonicClock.now
        var isStalled = false
        while true {
            switch attempt(waits: waits, isStalled: &isStalled) {
            case .retry: continue
            case .wait(let time): wait(atMost: time)
            case .buffer(let buffer):
                took(buffer)
                finish(since: began, isStalled)
                owner.acquired(after: MonotonicClock.now - began, foundIdle: false)
                return buffer
            case .spare(let buffer):
                finish(since: began, isStalled)
                return buffer
            case .fail(let result, let lacksMemory):
                finish(since: began, isStalled)
                if lacksMemory { owner.ranOutOfMemory() }
                throw result
            }
        }
    }

    private func finish(since began: Duration, _ isStalled: Bool) {
        if isStalled { state.pointee.counts.stallTime += MonotonicClock.now - began }
        mutex.unlock()
    }

    /// The mutex must be locked; the method may unlock it temporarily.
    private func attempt(waits: Bool, isStalled: inout Bool) -> Attempt {
        guard !isFlushing else { return .fail(.flushing) }
        if state.pointee.shelf.idleCount > 0 { return .buffer(state.pointee.shelf.takeIdle()) }
        var lacksMemory = false
        if mayGrow {
            if let buffer = makeOne() { return .buffer(buffer) }
            lacksMemory = true
            // Another buffer may be released, so the acquire fails only if the pool has no buffers.
            if state.pointee.counts.size == 0, !isFlushing { return .fail(.error, lacksMemory: true) }
        }
        if state.pointee.mustNotWait { return .fail(.flushing) }
        var patience: Duration? = lacksMemory ? .seconds(1) : nil
        if !lacksMemory, isAtLimit {
            switch callLimitReached() {
            case .raise(let limit):
                raise(to: limit)
                return .retry
            case .wait(let time): patience = time
            }
            // The mutex was unlocked meanwhile, so the state may have changed.
            if state.pointee.shelf.idleCount > 0 || mayGrow || isFlushing { return .retry }
        }
        if !isStalled {
            state.pointee.counts.stalls += 1
            if !lacksMemory { state.pointee.counts.hitLimit = true }
        }
        if waits, state.pointee.whenEmpty == .drop, let spare = takeSpare() { return .spare(spare) }
        guard waits else { return .fail(.endOfStream) }
        isStalled = true
        // A buffer may have been released while this thread tried to allocate one.
        return state.pointee.shelf.idleCount > 0 ? .retry : .wait(atMost: patience)
    }

    /// Allocates a buffer with the mutex unlocked; nil if there is no memory.
    private func makeOne() -> RawBuffer? {
        guard let recipe = state.pointee.recipe, let maker = state.pointee.maker else { return nil }
        let targetBefore = state.pointee.target
        state.pointee.counts.added()
        state.pointee.counts.grown += 1
        // A buffer allocated during a flush is freed at its release, so it does not raise the target.
        if !state.pointee.mustNotWait { state.pointee.target = max(state.pointee.target, state.pointee.counts.size) }
        state.pointee.shelf.reserve(state.pointee.counts.size)
        mutex.unlock()
        let span = PoolMarks.grow.begin()
        let buffer = recipe.makeBuffer(maker, touch: false)
        span.end()
        mutex.lock()
        if let buffer { return buffer }
        state.pointee.counts.size -= 1
        state.pointee.counts.grown -= 1
        state.pointee.counts.failures += 1
        state.pointee.target = max(min(state.pointee.target, state.pointee.counts.size), targetBefore)
        if state.pointee.waiting > 0 { wake() }
        mutex.unlock()
        owner.allocationFailed()
        mutex.lock()
        return nil
    }

    private func takeSpare() -> RawBuffer? {
        guard let spare = state.pointee.spare else { return nil }
        state.pointee.spare = nil
        state.pointee.spareInUse = spare
        state.pointee.counts.dropped += 1
        return spare
    }

    // MARK: - Release

    @usableFromInline
    func release(_ buffer: consuming Buffer) {
        let buffer = buffer.unsafeGive()
        if !keeps(buffer) { buffer.unref() }
    }

    /// Takes a buffer back; false if the caller must free it.
    @inline(__always)
    private func keeps(_ buffer: RawBuffer) -> Bool {
        let size = buffer.intactSize
        mutex.lock()
        let isIntact = size == state.pointee.counts.bytesInBuffer
        if state.pointee.spareInUse == buffer { return keepsSpare(buffer, isIntact: isIntact) }
        if state.pointee.isTight { measureGap() }
        state.pointee.shelf.removeUsed(buffer)
        let isKept = isIntact && state.pointee.counts.size <= state.pointee.target
        if isKept {
            state.pointee.shelf.putIdle(buffer)
        } else {
            state.pointee.counts.size -= 1
            if !isIntact { state.pointee.counts.discarded += 1 }
        }
        if state.pointee.waiting > 0 { wake() }
        mutex.unlock()
        return isKept
    }

    /// The mutex must be locked; the method unlocks it.
    private func keepsSpare(_ buffer: RawBuffer, isIntact: Bool) -> Bool {
        state.pointee.spareInUse = nil
        if isIntact { state.pointee.spare = buffer }
        if state.pointee.waiting > 0 { wake() }
        mutex.unlock()
        return isIntact
    }
}

// Decisions of an acquire that finds no idle buffer. The mutex must be locked for all of these functions.

extension ElasticPool {
    /// Whether an acquire may allocate a buffer at once.
    var mayGrow: Bool {
        let size = state.pointee.counts.size
        guard size < maximum else { return false }
        // In an empty pool, no buffer can be released, so an acquire must not wait.
        if size == 0 || state.pointee.mustNotWait { return true }
        return size < (state.pointee.whenEmpty == .wait ? state.pointee.assured : state.pointee.limit)
    }

    var isAtLimit: Bool {
        let size = state.pointee.counts.size
        return size >= state.pointee.limit && size < maximum
    }

    /// Maximum number of buffers in the configuration of the pool.
    var maximum: Int { state.pointee.recipe?.needs.maximum ?? .max }

    /// Calls `limitReached` of the owner with the mutex unlocked.
    func callLimitReached() -> GrowthLimit.Verdict {
        let now = MonotonicClock.now
        if !state.pointee.isTight {
            state.pointee.isTight = true
            state.pointee.quietSince = now
        }
        let exhaustion = GrowthLimit.Exhaustion(
            size: state.pointee.counts.size,
            sinceRelease: now - state.pointee.quietSince, longestGap: state.pointee.longestGap)
        mutex.unlock()
        let verdict = owner.limitReached(exhaustion)
        mutex.lock()
        return verdict
    }

    /// Lets all acquires allocate buffers up to `limit`; another thread may have raised the limit further meanwhile.
    func raise(to limit: Int) {
        state.pointee.limit = max(state.pointee.limit, limit)
        state.pointee.assured = max(state.pointee.assured, limit)
        // The time without a release starts again, so that the next raise requires a wait of the same length.
        state.pointee.quietSince = MonotonicClock.now
        wake()
    }

    /// Unlocks the mutex until a buffer is released, at most for `time`.
    func wait(atMost time: Duration?) {
        state.pointee.waiting += 1
        let span = PoolMarks.wait.begin()
        defer {
            span.end()
            state.pointee.waiting -= 1
        }
        mutex.wait(0, until: time.map { MonotonicClock.now + $0 })
    }

    @inline(never)
    func measureGap() {
        let now = MonotonicClock.now
        state.pointee.longestGap = max(state.pointee.longestGap, now - state.pointee.quietSince)
        state.pointee.quietSince = now
    }
}
