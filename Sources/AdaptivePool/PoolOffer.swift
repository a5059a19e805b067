import ElasticPool
import GStreamer

/// Offers pools to the upstream element, and copies frames into one with `force`; only the streaming thread uses it.
struct PoolOffer: ~Copyable {
    private let host: ElementHost
    private let report: AdaptivePoolReport
    private var settings = LiveSettings(fixed: AdaptivePoolSettings())
    private var caps: Caps?
    private var usage = PoolUsage()
    /// Makes the copies of `force`.
    private var copier: FrameCopier<AdaptiveBufferPool>?

    init(host: ElementHost, report: AdaptivePoolReport) {
        self.host = host
        self.report = report
    }

    /// Breaks a reference cycle: a pool keeps the report, which keeps the pool.
    deinit { report.close() }

    mutating func start(_ settings: LiveSettings<AdaptivePoolSettings>) {
        self.settings = settings
        report.elementStarted()
        report.postContradictions(of: settings.now, from: host)
        usage = PoolUsage()
    }

    mutating func capsChanged(_ caps: Caps) {
        self.caps = caps
        usage.capsChanged()
        closeCopier()
    }

    /// Answers an ALLOCATION query of upstream; false when the query goes downstream unchanged.
    mutating func answer(_ query: borrowing AllocationQuery) -> Bool {
        guard let caps = query.caps, caps.isRawVideo else { return false }
        let settings = settings.now
        let demand = AllocationDemand(query, besides: AdaptiveBufferPool.self)
        usage.obstacle = PoolUsage.obstacle(query, demand, settings.prefer)
        guard usage.obstacle == nil else { return false }
        let bytes = max(demand.bytesInBuffer, caps.bytesInFrame)
        guard settings.isEnabled else {
            // All buffers up to the limit are made at once; without a limit the pool grows.
            let maximum = settings.maximum <= 0 ? 0 : max(Int(settings.maximum), demand.minimum)
            query.offerStockPool(bytesInBuffer: bytes, minimum: max(demand.minimum, maximum), maximum: maximum)
            return true
        }
        guard let pool = makePool() else { return false }
        query.offer(pool, bytesInBuffer: bytes, minimum: demand.minimum)
        report.add(pool)
        return true
    }

    /// Returns the frame, or its copy in a buffer of the pool; nil when the frame is to be dropped.
    mutating func pass(_ frame: consuming Buffer) throws(FlowResult) -> Buffer? {
        if let pool = frame.pool(AdaptiveBufferPool.self) {
            usage.isUsed = true
            if pool.elastic.passes(frame, host) { return nil }
            return frame
        }
        let settings = settings.now
        usage.foreignFrameArrived(frame, caps, settings, host)
        // A frame in downstream's own memory is not copied out of it.
        guard let caps, caps.isRawVideo, settings.isForced, settings.isEnabled, !usage.prefersDownstream else {
            return frame
        }
        return try openCopier(caps).copy(of: frame, for: host)
    }

    mutating func stop() {
        closeCopier()
        // The offered pools stay active, because upstream may still use them.
        caps = nil
    }

    private func makePool() -> PoolReference<AdaptiveBufferPool>? {
        let pool = PoolReference<AdaptiveBufferPool>()
        pool?.pool.setOwner(AdaptiveBufferPool.Owner(settings: settings, host: host, report: report))
        return pool
    }

    private mutating func openCopier(_ caps: Caps) throws(FlowResult) -> FrameCopier<AdaptiveBufferPool> {
        if let copier { return copier }
        let demand =
            AllocationDemand(of: caps, downstreamOf: host, besides: AdaptiveBufferPool.self) ?? AllocationDemand()
        guard let pool = makePool(), let copier = FrameCopier(pool, caps, for: demand) else {
            throw host.fail(
                .resource(
                    .noSpaceLeft, "There is no memory left for video frames.",
                    debug: "A frame takes \(caps.bytesInFrame) bytes."))
        }
        self.copier = copier
        report.add(pool)
        return copier
    }

    private mutating func closeCopier() {
        copier?.pool.deactivate()
        copier = nil
    }
}
