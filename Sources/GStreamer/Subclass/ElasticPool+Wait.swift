import CGStreamer

// What an acquire does that finds no idle buffer. All of it is called with the lock.

extension ElasticPool {
    /// Whether a buffer may be made at once.
    var mayGrow: Bool {
        let size = state.pointee.counts.size
        guard size < maximum else { return false }
        // Of a pool with no buffer at all none will ever come back.
        if size == 0 || state.pointee.isHurried { return true }
        return size < (state.pointee.whenEmpty == .wait ? state.pointee.assured : state.pointee.limit)
    }

    var isAtLimit: Bool {
        let size = state.pointee.counts.size
        return size >= state.pointee.limit && size < maximum
    }

    /// What the configuration of the pool allows.
    var maximum: Int { state.pointee.recipe?.needs.maximum ?? .max }

    /// Asks the kind, with the lock given away meanwhile.
    func askWhetherToWait() -> PoolPatience {
        let now = UInt64(gst_util_get_timestamp())
        if !state.pointee.isTight {
            state.pointee.isTight = true
            state.pointee.quietSince = now
        }
        let standstill = PoolStandstill(
            size: state.pointee.counts.size, quietNanoseconds: now &- state.pointee.quietSince,
            longestGapNanoseconds: state.pointee.longestGap)
        unlock()
        let patience = kind.stoodStill(standstill)
        lock()
        return patience
    }

    /// Lets all acquires make buffers until there are `limit`; another thread may have done so meanwhile.
    func raise(to limit: Int) {
        state.pointee.limit = max(state.pointee.limit, limit)
        state.pointee.assured = max(state.pointee.assured, limit)
        // The next raise takes as much patience.
        state.pointee.quietSince = UInt64(gst_util_get_timestamp())
        wake()
    }

    /// Gives the lock away until a buffer comes back, or for so long at most.
    func wait(nanoseconds: UInt64?) {
        state.pointee.waiting += 1
        defer { state.pointee.waiting -= 1 }
        guard let nanoseconds else { return g_cond_wait(changed, mutex) }
        let microseconds = gint64(min(nanoseconds / 1000, 1 << 50)) + 1
        _ = g_cond_wait_until(changed, mutex, g_get_monotonic_time() + microseconds)
    }

    @inline(never)
    func measureGap() {
        let now = UInt64(gst_util_get_timestamp())
        state.pointee.longestGap = max(state.pointee.longestGap, now &- state.pointee.quietSince)
        state.pointee.quietSince = now
    }
}
