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
/// Buffers pass unchanged. The element answers the ALLOCATION query of upstream with a pool of at least `min-buffers`.
/// The answer includes the size, number and metas that downstream requires. `PoolController` decides the size of the
/// pool, `ElasticPool` changes it, and `PoolGovernor` runs both on its own thread.
///
/// A downstream pool of special memory (of a display or a device) takes precedence, unless `prefer=own`. If upstream
/// does not use the pool, one message gives the reason. With `force=true`, the element copies raw frames into its own
/// pool.
///
/// During a flush or a stop no acquire waits and none fails, because a decoder that draws into the pool cannot recover
/// from a failure. `docs/elements/adaptivepool.md` describes the rules, properties, messages and counters.
struct AdaptivePool: BaseTransform, ~Copyable {

    // MARK: Description for gst-inspect

    static let factoryName = "adaptivepool"
    static let typeName = "GstAdaptivePool"
    static let metadata = ElementMetadata(
        "Adaptive buffer pool",
        classification: "Generic",
        description: "Offers the upstream element a buffer pool whose size follows the load",
        author: "The gst-plugins-swift authors")
    static let padTemplates: [PadTemplate] = [.sink("ANY"), .source("ANY")]
    static let passthroughOnSameCaps = true
    typealias Settings = AdaptivePoolSettings

    // MARK: Lifecycle

    let host: ElementHost
    let report = AdaptivePoolReport()
    private var settings = LiveSettings(fixed: AdaptivePoolSettings())
    private var caps: Caps?
    private var usage = PoolUsage()
    private var copier: FrameCopier<AdaptiveBufferPool>?

    init(host: ElementHost) { self.host = host }

    /// Breaks a reference cycle between a pool and the report.
    deinit { report.close() }

    mutating func start(_ settings: LiveSettings<Settings>) throws(ElementError) {
        self.settings = settings
        report.elementStarted()
        report.postContradictions(of: settings.now, from: host)
        usage = PoolUsage()
    }

    mutating func setCaps(_ caps: Caps) throws(FlowResult) {
        self.caps = caps
        usage.capsChanged()
        closeCopier()
    }

    mutating func proposeAllocation(_ query: borrowing AllocationQuery) -> Bool {
        guard let caps = query.caps, caps.isRawVideo else { return false }
        let settings = settings.now
        let demand = AllocationDemand(query, besides: AdaptiveBufferPool.self)
        usage.obstacle = PoolUsage.obstacle(query, demand, settings.prefer)
        guard usage.obstacle == nil else { return false }
        let bytes = max(demand.bytesInBuffer, caps.bytesInFrame)
        guard settings.isEnabled else {
            // The offered `GstVideoBufferPool` allocates all buffers up to the limit at once. Without a limit it grows.
            let maximum = settings.maximum <= 0 ? 0 : max(Int(settings.maximum), demand.minimum)
            query.offerStockPool(bytesInBuffer: bytes, minimum: max(demand.minimum, maximum), maximum: maximum)
            return true
        }
        guard let pool = makePool() else { return false }
        query.offer(pool, bytesInBuffer: bytes, minimum: demand.minimum)
        report.add(pool)
        return true
    }

    /// Returns the frame, or its copy in a buffer of the pool; nil if the frame is dropped.
    mutating func submitInput(_ frame: consuming Buffer) throws(FlowResult) -> Buffer? {
        if let pool = frame.pool(AdaptiveBufferPool.self) {
            usage.isUsed = true
            if pool.elastic.passes(frame, host) { return nil }
            return frame
        }
        let settings = settings.now
        usage.foreignFrameArrived(frame, caps, settings, host)
        // A frame in the memory of downstream is not copied into other memory.
        guard let caps, caps.isRawVideo, settings.isForced, settings.isEnabled, !usage.prefersDownstream else {
            return frame
        }
        return try openCopier(caps).copy(of: frame, caps, for: host)
    }

    mutating func stop() {
        closeCopier()
        // The offered pools stay active, because upstream may still use them.
        caps = nil
    }

    static func flush(_ isFlushing: Bool, _ report: AdaptivePoolReport) { report.flush(isFlushing) }

    // MARK: Details

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

/// Records whether upstream uses the pool; posts one message if it does not.
struct PoolUsage {
    /// Reason why the pool was not offered.
    enum Obstacle: Equatable {
        case noQuery
        case noPoolWanted
        /// Downstream has a pool or allocator of this type, which takes precedence.
        case downstream(String)

        var text: String {
            switch self {
            case .noQuery: "it sent no ALLOCATION query"
            case .noPoolWanted: "its ALLOCATION query requests no pool"
            case .downstream(let type): "downstream has its own, of type \(type)"
            }
        }
    }

    /// Reason why the pool was not offered; nil if it was offered.
    var obstacle: Obstacle? = .noQuery
    /// Whether a frame of the pool has arrived since the caps changed.
    var isUsed = false
    private var isReported = false
    /// Number of frames that are not from the pool, since the caps changed.
    private var foreignFrames = 0

    /// Number of frames that a decoder may fill before it negotiates: its reorder depth times its thread count.
    private static let grace = 64

    var prefersDownstream: Bool { if case .downstream = obstacle { true } else { false } }

    /// Reason why the pool must not be offered; nil if it may be offered.
    static func obstacle(
        _ query: borrowing AllocationQuery, _ demand: AllocationDemand, _ preference: Preference
    ) -> Obstacle? {
        guard query.wantsPool else { return .noPoolWanted }
        let type =
            switch preference {
            case .auto: demand.ownMemory
            case .downstream: demand.ownMemory ?? demand.pool
            case .own: nil as String?
            }
        return type.map { .downstream($0) }
    }

    mutating func capsChanged() {
        foreignFrames = 0
        isUsed = false
    }

    /// Called for each frame that is not from a pool of this element.
    mutating func foreignFrameArrived(
        _ frame: borrowing Buffer, _ caps: Caps?, _ settings: AdaptivePoolSettings, _ host: ElementHost
    ) {
        guard !isReported, !isUsed else { return }
        foreignFrames += 1
        guard let caps, caps.isRawVideo else {
            guard settings.isEnabled else { return }
            isReported = true
            return host.post(warning: Self.notice(unservedCaps: caps?.name ?? "no caps"))
        }
        guard obstacle != nil || foreignFrames > Self.grace, settings.isEnabled else { return }
        isReported = true
        let notice = notice(of: frame, isForced: settings.isForced)
        // That a downstream pool takes precedence is not a fault, and copied frames need no warning.
        if prefersDownstream || settings.isForced { host.post(info: notice) } else { host.post(warning: notice) }
    }

    private static func notice(unservedCaps name: String) -> ElementError {
        let text =
            "The adaptive pool has no effect here: it serves raw video in system memory, and the caps are \(name)."
        return .resource(.settings, text, debug: "\(text) The stream passes unchanged. Remove the element.")
    }

    private func notice(of frame: borrowing Buffer, isForced: Bool) -> ElementError {
        let origin = frame.poolName.map { "a pool of type \($0)" } ?? "no pool"
        let reason = obstacle?.text ?? "it was offered the pool and did not use it"
        let text = "The element upstream does not use the adaptive pool: \(reason)."
        let remedy =
            prefersDownstream
            ? "Set prefer=own to offer the pool nevertheless."
            : isForced ? "They are copied into the pool." : "Set force=true to copy them into the pool."
        return .resource(.settings, text, debug: "\(text) Its frames come from \(origin). \(remedy)")
    }
}
