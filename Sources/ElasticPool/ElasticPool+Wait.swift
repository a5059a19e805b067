import GStreamer
import PoolPolicy
import Threads

// Decisions of an acquire that finds no idle buffer; all functions require the mutex.

extension ElasticPool {
    /// Whether a buffer may be allocated at once.
    var mayGrow: Bool {
        let size = state.pointee.counts.size
        guard size < maximum else { return false }
        // No buffer of an empty pool can be released.
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

    /// Lets all acquires allocate buffers up to `limit`; another thread may have done so meanwhile.
    func raise(to limit: Int) {
        state.pointee.limit = max(state.pointee.limit, limit)
        state.pointee.assured = max(state.pointee.assured, limit)
        // The time without a release starts again, so that the next raise requires the same patience.
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
