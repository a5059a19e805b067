import ElasticPool
import GStreamer
import PoolPolicy

// The messages about a pool. The element that offers the pool posts them, unless the element was freed.

extension AdaptiveBufferPool {
    private static let log = DebugCategory("adaptivepool", "A buffer pool that follows the load")

    func postResize(_ run: PoolRun, _ change: PoolLedger.Change, _ counts: PoolCounts, forecast: Double) {
        let reason = change.reason.rawValue
        Self.log.info(nil, "\(change.old) -> \(change.new) buffers, \(counts.inUse) in use: \(reason)")
        run.owner?.host.post(
            Structure(
                "adaptive-pool-resized",
                [
                    "old": .uint(UInt32(clamping: change.old)), "new": .uint(UInt32(clamping: change.new)),
                    "outstanding": .uint(UInt32(clamping: counts.inUse)), "forecast": .double(forecast),
                    "reason": .string(reason),
                ]))
    }

    func postBreaker(_ run: PoolRun, _ size: Int, isLimitOfUser: Bool) {
        // At the automatic limit, a source faster than its consumer waits as at a full queue, which is no fault.
        guard isLimitOfUser else { return Self.log.info(nil, "The pool stays at \(size) buffers for now") }
        post(
            run.owner,
            warning: .resource(
                .busy, "More than one frame in ten has waited for a buffer; the pool stays at its largest for now.",
                debug: "Buffers: \(size). The pool tries to adapt again later."))
    }

    func postFallback(_ owner: Owner, _ memory: PoolMemory, _ reason: String) {
        post(
            owner,
            warning: .resource(
                .notFound, "Frames are kept in \(memory) memory.",
                debug: "The requested memory is not available: \(reason)."))
    }

    func postAllocationFailure(_ owner: Owner) {
        let counts = counts
        // Without any buffer the stream ends with the error of `ranOutOfMemory`.
        guard counts.size > 0 else { return }
        post(
            owner,
            warning: .resource(
                .noSpaceLeft,
                "There was no memory for another video frame; the pool continues with \(counts.size) buffers.",
                debug: "A frame takes \(counts.bytesInBuffer) bytes. Frames may wait until a buffer is released."))
    }

    func postLackOfMemory(_ owner: Owner, bytesInBuffer bytes: Int) {
        owner.host.post(
            error: .resource(
                .noSpaceLeft, "There is no memory left for a video frame.",
                debug: "A frame takes \(bytes) bytes, and no buffer is in use that could be released."))
    }

    func postLackOfThread(_ owner: Owner?) {
        post(
            owner,
            warning: .core(
                .thread, "The pool has no thread of its own; it grows on demand, and does not shrink.",
                debug: "The system did not start a thread."))
    }

    /// Posts that all buffers that the user permits are in use; `holder` is the end of the sentence, or empty.
    func postLimit(_ run: PoolRun, _ counts: PoolCounts, _ holder: String, stuckFor time: Duration) {
        let settings = run.settings
        let fate =
            settings.onEmpty == .drop
            ? "New frames are dropped until a buffer is released, \(counts.dropped) so far."
            : "Frames wait until a buffer is released."
        let pause = time < .seconds(1) ? "" : " The stream has been blocked for \(time.components.seconds) s."
        post(
            run.owner,
            warning: .resource(
                .busy, "All \(counts.size) buffers that max-buffers allows are in use\(holder).",
                debug: "max-buffers=\(settings.maximum). \(fate)\(pause) Raise max-buffers, or set it to -1: an "
                    + "automatic limit never blocks the stream permanently."))
    }

    /// Posts that the automatic limit was raised; `holder` is the end of the sentence, or empty.
    func postRaise(_ run: PoolRun, _ counts: PoolCounts, _ holder: String) {
        let limit = state.withLock { $0.controller.limit }
        post(
            run.owner,
            warning: .resource(
                .busy,
                "The limit of the pool was raised to \(limit) buffers, because none was released\(holder).",
                debug: "max-buffers is automatic, so the stream goes on. \(counts.inUse) buffers of "
                    + "\(counts.bytesInBuffer) bytes are in use. Set max-buffers to a number to make the stream wait."
            ))
    }

    private func post(_ owner: Owner?, warning: ElementError) { owner?.host.post(warning: warning) }

    /// Value of the property `stats`.
    var statistics: Structure {
        let counts = counts
        let (times, ledger, controller) = state.withLock { ($0.times, $0.ledger, $0.controller) }
        let bytes = UInt64(max(counts.size, 0)) &* UInt64(max(counts.bytesInBuffer, 0))
        let bytesPeak = UInt64(max(counts.peakSize, 0)) &* UInt64(max(counts.bytesInBuffer, 0))
        return Structure(
            "application/x-adaptivepool-stats",
            [
                "acquires": .uint64(counts.acquires), "grown-in-acquire": .uint64(counts.grown),
                "stalls": .uint64(counts.stalls), "stall-time": .duration(counts.stallTime),
                "dropped": .uint64(counts.dropped), "discarded": .uint64(counts.discarded),
                "failures": .uint64(counts.failures),
                "acquire-time-p50": .duration(times.quantile(0.5) ?? times.longest),
                "acquire-time-p99": .duration(times.quantile(0.99) ?? times.longest),
                "acquire-time-max": .duration(times.longest), "grows": .uint64(ledger.grows),
                "shrinks": .uint64(ledger.shrinks), "bytes": .uint64(bytes),
                "bytes-mean": .uint64(ledger.meanBytes.flatMap { UInt64(exactly: $0.rounded()) } ?? bytes),
                "bytes-peak": .uint64(bytesPeak), "forecast": .double(controller.forecast),
                "breaker": .string(controller.breaker.rawValue),
                "limit": .uint64(UInt64(clamping: controller.limit)), "limit-raises": .uint64(controller.raises),
            ])
    }
}
