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
/// A downstream pool of special memory (of a display or a device) takes precedence, unless `prefer=own`. If upstream
/// does not use the pool, one message gives the reason; with `force=true`, raw frames are copied into a pool of the
/// element's own.
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
        description: "Offers the upstream element a buffer pool whose size follows the load",
        author: "The gst-plugins-swift authors")
    static let padTemplates: [PadTemplate] = [.sink("ANY"), .source("ANY")]
    static let passthroughOnSameCaps = true
    typealias Settings = AdaptivePoolSettings

    // MARK: Lifecycle

    let host: ElementHost
    let report = AdaptivePoolReport()
    private var offer: PoolOffer

    init(host: ElementHost) {
        self.host = host
        offer = PoolOffer(host: host, report: report)
    }

    mutating func start(_ settings: LiveSettings<Settings>) throws(ElementError) { offer.start(settings) }

    mutating func setCaps(_ caps: Caps) throws(FlowResult) { offer.capsChanged(caps) }

    mutating func proposeAllocation(_ query: borrowing AllocationQuery) -> Bool { offer.answer(query) }

    mutating func submitInput(_ frame: consuming Buffer) throws(FlowResult) -> Buffer? { try offer.pass(frame) }

    mutating func stop() { offer.stop() }

    static func flush(_ isFlushing: Bool, _ report: AdaptivePoolReport) { report.flush(isFlushing) }
}
