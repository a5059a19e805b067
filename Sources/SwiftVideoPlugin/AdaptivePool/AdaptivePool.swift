import GStreamer
import StreamControl

/// Gives the element before it buffers from a pool whose size follows the load.
///
///     gst-launch-1.0 videotestsrc num-buffers=300 ! adaptivepool ! videoconvert ! fakesink sync=true
///
/// Frames pass untouched. When the element upstream asks how to make its buffers, it is offered a pool that has at least
/// `min-buffers` and at most `max-buffers`; what downstream asks for in size, number and metadata is part of the offer.
/// Every `window` the pool looks how many buffers were in use at once. It grows by `grow-step` when more than
/// `grow-threshold` of them will be, and `grow-windows` windows agree; it gives memory back when less than
/// `shrink-threshold` of them will be; it changes once per `resize-interval` at most. When no buffer is idle it does as
/// `on-empty` says.
///
/// Every half second, however long the window, it looks whether memory is short (the system's, and that of the control
/// groups of the process) or the machine is hot: then the pool shrinks at once, and does not grow for a while.
///
/// Where downstream has a pool of memory of its own (a display, a device), upstream is offered that one, unless
/// `prefer=own`. An upstream that takes no pool at all, such as one behind a `tee`, is reported once; with `force=true`
/// its frames are copied into the pool. With `memory=memfd` other processes can map the frames.
///
/// It posts the element message `adaptive-pool-resized` with the fields `old`, `new`, `outstanding`, `forecast` and
/// `reason`, at most one per window, and a warning that names who holds the oldest buffer when all there may be are in
/// use. Caps that are not raw video in system memory pass, and no pool is offered for them.
struct AdaptivePool: TransformElement, ~Copyable {

    // MARK: What gst-inspect shows

    static let factoryName = "adaptivepool"
    static let typeName = "GstAdaptivePool"
    static let metadata = ElementMetadata(
        "Adaptive buffer pool",
        classification: "Generic",
        description: "Gives the element before it buffers from a pool whose size follows the load",
        author: "The gst-plugins-swift authors")
    static let padTemplates: [PadTemplate] = [.sink("ANY"), .source("ANY")]

    typealias Settings = AdaptivePoolSettings

    // MARK: What happens while the pipeline runs

    let report = AdaptivePoolReport()
    private let host: ElementHost
    private var settings = LiveSettings(fixed: AdaptivePoolSettings())
    private var caps: StreamCaps?
    /// Why upstream was not offered the pool, or nil when it was.
    private var obstacle: String? = "it did not ask for one"
    private var obstacleIsWanted = false
    private var hasTold = false
    private var hasSeenFrame = false
    /// Takes the copies of `force`.
    private var own: PoolReference<AdaptiveBufferPool>?

    init(host: ElementHost) { self.host = host }

    /// What a pool tells, it tells the report, which keeps the pool: that would be for ever.
    deinit { report.forget() }

    mutating func start(_ settings: LiveSettings<Settings>) throws(ElementError) {
        self.settings = settings
        report.elementStarted()
        hasTold = false
        obstacle = "it did not ask for one"
        obstacleIsWanted = false
    }

    mutating func configure(_ caps: StreamCaps) throws(FlowError) {
        self.caps = caps
        hasSeenFrame = false
        closeOwn()
    }

    mutating func allocationAsked(_ query: borrowing AllocationQuery) -> Bool {
        guard query.caps.isRawVideo else { return false }
        obstacleIsWanted = false
        guard query.wantsPool else {
            obstacle = "it asked for advice, but wants no pool"
            return false
        }
        let settings = settings.now
        let demand = query.demand
        let theirs: String? =
            switch settings.prefer {
            case .auto: demand.ownMemory
            case .downstream: demand.ownMemory ?? demand.pool
            case .own: nil
            }
        if let theirs {
            obstacle = "downstream has its own, of type \(theirs)"
            obstacleIsWanted = true
            return false
        }
        let bytes = max(demand.bytesInBuffer, query.caps.bytesInFrame)
        guard settings.isEnabled else {
            obstacle = nil
            // Fixed: it has as many as it may have from the first frame to the last.
            let maximum = settings.maximum == 0 ? 0 : max(Int(settings.maximum), demand.minimum)
            query.offerStockPool(bytesInBuffer: bytes, minimum: max(demand.minimum, maximum), maximum: maximum)
            return true
        }
        guard let pool = makePool() else { return false }
        obstacle = nil
        query.offer(pool, bytesInBuffer: bytes, minimum: demand.minimum)
        remember(pool)
        return true
    }

    mutating func process(_ frame: borrowing PassingBuffer) throws(FlowError) -> PassingVerdict {
        if let kind = frame.source(AdaptiveBufferPool.self) {
            return frame.isToBeDropped(by: kind.pool) ? .drop : .pass
        }
        guard let caps, caps.isRawVideo else { return .pass }
        if !hasSeenFrame { firstForeignFrame(frame) }
        let settings = settings.now
        // Downstream's own memory is where frames are to be.
        guard settings.isForced, settings.isEnabled, !obstacleIsWanted else { return .pass }
        if own == nil { try openOwn(caps) }
        guard let own else { return .pass }
        let copy = try own.copy(of: frame, caps)
        return own.isSpare(copy) ? .drop : .replace(copy)
    }

    mutating func stop() {
        closeOwn()
        caps = nil
        report.pools.withLock { $0.offered = [] }
    }

    static func flush(_ isFlushing: Bool, _ report: AdaptivePoolReport) {
        let pools = report.pools.withLock { pools in
            pools.isFlushing = isFlushing
            return pools.offered
        }
        for pool in pools { pool.setFlushing(isFlushing) }
    }

    // MARK: Details

    private func makePool() -> PoolReference<AdaptiveBufferPool>? {
        guard let pool = PoolReference<AdaptiveBufferPool>() else { return nil }
        pool.kind.belongs(to: AdaptiveBufferPool.Owner(settings: settings, host: WeakHost(host), report: report))
        return pool
    }

    private mutating func openOwn(_ caps: StreamCaps) throws(FlowError) {
        let demand = host.askDownstream(about: caps) ?? AllocationQuery.Demand()
        guard let pool = makePool(), pool.activate(caps, for: demand) else {
            throw .failed(
                .resource(
                    .noSpaceLeft, "There is no memory left for video frames.",
                    debug: "A frame takes \(caps.bytesInFrame) bytes."))
        }
        own = pool
        let weak = remember(pool)
        // A flush that began before the pool was known has not reached it.
        if report.pools.withLock({ $0.isFlushing }) { weak.setFlushing(true) }
    }

    /// Keeps the pool where a flush finds it; only the last few can still be waited in.
    @discardableResult
    private func remember(_ pool: PoolReference<AdaptiveBufferPool>) -> WeakPool {
        let weak = WeakPool(pool)
        report.pools.withLock { pools in
            pools.offered.append(weak)
            if pools.offered.count > 4 { pools.offered.removeFirst() }
        }
        return weak
    }

    private mutating func closeOwn() {
        own?.deactivate()
        own = nil
    }

    /// Says once that, and why, the pool is of no use here.
    private mutating func firstForeignFrame(_ frame: borrowing PassingBuffer) {
        hasSeenFrame = true
        guard !hasTold, settings.now.isEnabled else { return }
        hasTold = true
        let origin = frame.poolName.map { "a pool of type \($0)" } ?? "no pool"
        let reason = obstacle ?? "it was offered one and did not take it"
        let text = "The element upstream does not use the adaptive pool: \(reason)."
        let remedy =
            obstacleIsWanted
            ? "Set prefer=own to have the pool offered nevertheless."
            : settings.now.isForced ? "They are copied into it." : "Set force=true to have them copied into the pool."
        let notice = ElementError.resource(
            .settings, text, debug: "\(text) Its frames come from \(origin). \(remedy)")
        // What downstream wants is no fault, and what is copied needs no warning.
        if obstacleIsWanted || settings.now.isForced { host.post(info: notice) } else { host.post(warning: notice) }
    }
}
