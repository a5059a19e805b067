import ElasticPool
import GStreamer

/// Registers the element `adaptivepool` and its pool.
public func registerAdaptivePool(in plugin: Plugin) -> Bool {
    registerBufferPool(AdaptiveBufferPool.self) && register(AdaptivePool.self, in: plugin)
}

/// Offers the upstream element a buffer pool whose size follows the load.
///
///     gst-launch-1.0 videotestsrc num-buffers=300 ! adaptivepool ! videoconvert ! fakesink sync=true
///
/// Buffers pass unchanged. The element answers the ALLOCATION query of upstream with a pool that has at least
/// `min-buffers`; the answer includes the size, number and metas that downstream requires. `PoolController` decides the
/// size, `ElasticPool` changes it, and `PoolGovernor` runs both on a thread of its own.
///
/// A downstream pool of special memory (a display, a device) takes precedence, unless `prefer=own`. If upstream does not
/// use the pool, a message says why, once; with `force=true` raw frames are copied into a pool of the element's own.
///
/// During a flush and a stop no acquire waits and none fails: to a decoder that draws into the pool, a failure is fatal.
///
/// `docs/elements/adaptivepool.md` describes the rules, properties, messages and counters.
struct AdaptivePool: BaseTransform, ~Copyable {

    // MARK: Description for gst-inspect

    static let factoryName = "adaptivepool"
    static let typeName = "GstAdaptivePool"
    static let metadata = ElementMetadata(
        "Adaptive buffer pool",
        classification: "Generic",
        description: "Gives the element before it buffers from a pool whose size follows the load",
        author: "The gst-plugins-swift authors")
    static let padTemplates: [PadTemplate] = [.sink("ANY"), .source("ANY")]
    static let mode = TransformMode.passthrough

    typealias Settings = AdaptivePoolSettings

    // MARK: State

    let report = AdaptivePoolReport()
    let host: ElementHost
    private var settings = LiveSettings(fixed: AdaptivePoolSettings())
    private var caps: Caps?
    private var usage = PoolUsage()
    /// Makes the copies of `force`.
    private var copier: FrameCopier<AdaptiveBufferPool>?

    init(host: ElementHost) { self.host = host }

    /// A pool keeps the report, which keeps the pool: this breaks the cycle.
    deinit { report.close() }

    mutating func start(_ settings: LiveSettings<Settings>) throws(ElementError) {
        self.settings = settings
        report.elementStarted()
        report.postContradictions(of: settings.now, from: WeakHost(host))
        usage = PoolUsage()
    }

    mutating func setCaps(_ caps: Caps) throws(FlowResult) {
        self.caps = caps
        usage.capsChanged()
        closeCopier()
    }

    mutating func proposeAllocation(_ query: borrowing AllocationQuery) -> Bool {
        guard query.caps.isRawVideo else { return false }
        let (settings, demand) = (settings.now, query.demand)
        usage.obstacle = PoolUsage.obstacle(query, demand, settings.prefer)
        guard usage.obstacle == nil else { return false }
        let bytes = max(demand.bytesInBuffer, query.caps.bytesInFrame)
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

    mutating func submitInput(_ frame: consuming Buffer) throws(FlowResult) -> Buffer? {
        if let pool = frame.pool(AdaptiveBufferPool.self) {
            usage.isUsed = true
            if pool.elastic.passes(frame) { return nil }
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
        // The report keeps the pools that upstream may still use.
        caps = nil
    }

    static func flush(_ isFlushing: Bool, _ report: AdaptivePoolReport) { report.flush(isFlushing) }

    // MARK: Details

    private func makePool() -> PoolReference<AdaptiveBufferPool>? {
        let pool = PoolReference<AdaptiveBufferPool>()
        pool?.pool.belongs(to: AdaptiveBufferPool.Owner(settings: settings, host: WeakHost(host), report: report))
        return pool
    }

    private mutating func openCopier(_ caps: Caps) throws(FlowResult) -> FrameCopier<AdaptiveBufferPool> {
        if let copier { return copier }
        let demand = host.askDownstream(about: caps) ?? AllocationQuery.Demand()
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
