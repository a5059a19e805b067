import GStreamer
import StreamControl

/// Gives the element before it buffers from a pool whose size follows the load.
///
///     gst-launch-1.0 videotestsrc num-buffers=300 ! adaptivepool ! videoconvert ! fakesink sync=true
///
/// Frames pass untouched. When the element upstream asks how to make its buffers, it is offered a pool that has at least
/// `min-buffers`; what downstream asks for in size, number and metadata is part of the offer. Every `window` the pool
/// looks how many buffers were in use at once. It grows by `grow-step` when more than `grow-threshold` of them will be,
/// and `grow-windows` windows agree; it gives memory back when less than `shrink-threshold` of them will be; it changes
/// once per `resize-interval` at most. When no buffer is idle it does as `on-empty` says.
///
/// The automatic limit begins at 16 buffers. When all are in use and none comes back, downstream keeps them on purpose:
/// after a short wait the limit is raised, and a warning names the holder. Only a `max-buffers` that the user has set
/// blocks the stream, and the warning about that is repeated.
///
/// Every half second, however long the window, it looks whether memory is short (the system's, and that of the control
/// groups of the process) or the machine is hot: then the pool shrinks at once, and does not grow for a while.
///
/// A flush or a stop never fails an acquire, since that is a fatal error to a decoder that draws into the pool. Until it
/// is over no acquire waits.
///
/// Where downstream has a pool of memory of its own (a display, a device), upstream is offered that one, unless
/// `prefer=own`. A stream that is not raw video in system memory, and an upstream that takes no pool, such as one behind
/// a `tee`, are reported once; with `force=true` raw frames are copied into the pool. With `memory=memfd` other processes
/// can map the frames.
///
/// `docs/elements/adaptivepool.md` describes the properties, messages and counters.
struct AdaptivePool: BaseTransform, ~Copyable {

    // MARK: What gst-inspect shows

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

    // MARK: What happens while the pipeline runs

    let report = AdaptivePoolReport()
    let host: ElementHost
    private var settings = LiveSettings(fixed: AdaptivePoolSettings())
    private var caps: Caps?
    /// Why upstream was not offered the pool, or nil when it was.
    private var obstacle: String? = "it did not ask for one"
    private var obstacleIsWanted = false
    private var hasTold = false
    /// How many frames from elsewhere came since the last one out of a pool of this element, or since the caps.
    private var foreignFrames = 0
    private var isUsed = false
    /// Takes the copies of `force`.
    private var own: PoolReference<AdaptiveBufferPool>?

    init(host: ElementHost) { self.host = host }

    /// What a pool tells, it tells the report, which keeps the pool: that would be for ever.
    deinit { report.forget() }

    mutating func start(_ settings: LiveSettings<Settings>) throws(ElementError) {
        self.settings = settings
        report.elementStarted()
        report.tellContradictions(of: settings.now, to: WeakHost(host))
        hasTold = false
        obstacle = "it did not ask for one"
        obstacleIsWanted = false
    }

    mutating func setCaps(_ caps: Caps) throws(FlowResult) {
        self.caps = caps
        foreignFrames = 0
        isUsed = false
        closeOwn()
    }

    mutating func proposeAllocation(_ query: borrowing AllocationQuery) -> Bool {
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
            // Fixed: it has as many as it may have from the first frame to the last; without a limit it grows.
            let maximum = settings.maximum <= 0 ? 0 : max(Int(settings.maximum), demand.minimum)
            query.offerStockPool(bytesInBuffer: bytes, minimum: max(demand.minimum, maximum), maximum: maximum)
            return true
        }
        guard let pool = makePool() else { return false }
        obstacle = nil
        query.offer(pool, bytesInBuffer: bytes, minimum: demand.minimum)
        remember(pool)
        return true
    }

    mutating func submitInput(_ buffer: consuming Buffer) throws(FlowResult) -> Buffer? {
        if let kind = buffer.source(AdaptiveBufferPool.self) {
            isUsed = true
            if buffer.isToBeDropped(by: kind.pool) { return nil }
            return buffer
        }
        if !hasTold, !isUsed { foreignFrameCame(buffer) }
        guard let caps, caps.isRawVideo else { return buffer }
        let settings = settings.now
        // Downstream's own memory is where frames are to be.
        guard settings.isForced, settings.isEnabled, !obstacleIsWanted else { return buffer }
        if own == nil { try openOwn(caps) }
        guard let own else { return buffer }
        let copy = try own.copy(of: buffer, caps, for: host)
        if own.isSpare(copy) { return nil }
        return copy
    }

    mutating func stop() {
        closeOwn()
        // Upstream may still use the pools it was offered: they stay known until they are gone.
        caps = nil
    }

    static func flush(_ isFlushing: Bool, _ report: AdaptivePoolReport) {
        let pools = report.pools.withLock { pools in
            pools.isFlushing = isFlushing
            return pools.offered
        }
        for pool in pools { pool.hurry(isFlushing) }
    }

    // MARK: Details

    private func makePool() -> PoolReference<AdaptiveBufferPool>? {
        guard let pool = PoolReference<AdaptiveBufferPool>() else { return nil }
        pool.kind.belongs(to: AdaptiveBufferPool.Owner(settings: settings, host: WeakHost(host), report: report))
        return pool
    }

    private mutating func openOwn(_ caps: Caps) throws(FlowResult) {
        let demand = host.askDownstream(about: caps) ?? AllocationQuery.Demand()
        guard let pool = makePool(), pool.activate(caps, for: demand) else {
            throw host.fail(
                .resource(
                    .noSpaceLeft, "There is no memory left for video frames.",
                    debug: "A frame takes \(caps.bytesInFrame) bytes."))
        }
        own = pool
        remember(pool)
    }

    /// Keeps the pool where a flush finds it.
    private func remember(_ pool: PoolReference<AdaptiveBufferPool>) {
        let weak = WeakPool(pool)
        let isFlushing = report.pools.withLock { pools in
            pools.offered.removeAll { !$0.isAlive }
            pools.offered.append(weak)
            return pools.isFlushing
        }
        // A flush that began before the pool was known has not reached it.
        if isFlushing { weak.hurry(true) }
    }

    private mutating func closeOwn() {
        own?.deactivate()
        own = nil
    }

    /// A decoder fills its first pictures before it negotiates: as many as it reorders, in as many threads as it has.
    private static let grace = 64

    /// Posts once that, and why, the pool is of no use here.
    private mutating func foreignFrameCame(_ frame: borrowing Buffer) {
        foreignFrames += 1
        let isServed = caps?.isRawVideo ?? false
        guard obstacle != nil || !isServed || foreignFrames > Self.grace else { return }
        guard settings.now.isEnabled else { return }
        hasTold = true
        guard isServed else {
            let name = caps?.name ?? "no caps"
            let text =
                "The adaptive pool is of no use here: it serves raw video in system memory, and these are \(name)."
            return host.post(
                warning: .resource(.settings, text, debug: "\(text) The stream passes as it is. Remove the element."))
        }
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
