import CGStreamer

// C function pointers cannot be generic. They call methods of the non-generic `Instance`. Generic subclasses, such as
// `ElementInstance` and `VideoFilterInstance`, override these methods and have the same hierarchy as the C classes. A C
// class calls only methods that its Swift class overrides.

typealias RawBuffer = UnsafeMutablePointer<GstBuffer>

/// The Swift object of a C instance; the C instance owns it.
class Instance {
    let type: ObjectType
    private let properties: PropertyStore

    init(_ type: ObjectType, _ properties: PropertyStore) {
        self.type = type
        self.properties = properties
    }

    // MARK: GObject

    func write(_ id: guint, from value: UnsafePointer<GValue>?) -> Bool {
        value.map { properties.write(id, from: $0) } ?? false
    }

    final func read(_ id: guint, into value: UnsafeMutablePointer<GValue>?) -> Bool {
        value.map { properties.read(id, into: $0) } ?? false
    }

    final var failure: ElementError? { properties.failure }
    final func failure(of property: String) -> ElementError? { properties.failure(of: property) }

    // MARK: GstElement

    /// The element as a `ConcurrentElement`; nil if the element does not conform to that protocol.
    var concurrent: (any ConcurrentElement)? { nil }
    func start() -> Bool { true }
    func stop() {}
    func changeState(_ change: GstStateChange) -> GstStateChangeReturn { GST_STATE_CHANGE_FAILURE }
    /// Whether the element may receive an event of the application, on any thread.
    func accepts(_ event: UnsafeMutablePointer<GstEvent>) -> Bool { true }

    // MARK: The classes of libgstbase

    func setCaps(_ caps: Caps) -> Bool { true }
    /// Called on any thread: with true, waiting streaming methods must return; with false, they may wait again.
    func flush(_ isFlushing: Bool) {}
    /// Called after a flush, while no streaming method runs.
    func flushed() {}

    // MARK: GstBaseTransform

    func proposeAllocation(_ query: borrowing AllocationQuery) -> Bool { false }
    /// Takes ownership of a buffer and returns the buffer to process; for nil, the flow return gives the reason.
    func submit(_ buffer: RawBuffer) -> (GstFlowReturn, RawBuffer?) { (GST_FLOW_OK, buffer) }
    /// Called before each buffer, also if the buffer passes unchanged.
    func beforeTransform(_ transform: UnsafeMutablePointer<GstBaseTransform>) {}
    func transform(_ buffer: RawBuffer) -> GstFlowReturn { GST_FLOW_OK }
    func transform(_ input: RawBuffer, into output: RawBuffer) -> GstFlowReturn { GST_FLOW_ERROR }
    /// Bytes in the output for an input of `byteCount` bytes; nil if there is no output for it.
    func transformSize(_ byteCount: Int) -> Int? { nil }
    func setCaps(input: Caps, output: Caps) -> Bool { false }
    /// The caps of the other pad that fit `caps` of the pad on `side`, on any thread.
    func transformCaps(_ caps: Caps, from side: PadDirection) -> Caps { caps }
    func fixate(_ caps: Caps, for fixed: Caps, of side: PadDirection) -> Caps { caps }
    /// Adds the latency of the element to the answer of a LATENCY query, on any thread.
    func addLatency(to query: borrowing Query) {}

    func sinkEvent(_ event: consuming Event) -> Event? { event }
    func sourceEvent(_ event: borrowing Event) -> Bool { true }

    // MARK: GstVideoFilter

    func setInfo(_ format: VideoFormat) -> Bool { false }
    func transform(_ frame: UnsafeMutablePointer<GstVideoFrame>) -> GstFlowReturn { GST_FLOW_ERROR }

    /// Makes the output frame from the input frame, whose caps may differ.
    func transform(_ input: UnsafeMutablePointer<GstVideoFrame>, into output: UnsafeMutablePointer<GstVideoFrame>)
        -> GstFlowReturn
    { GST_FLOW_ERROR }
    func setInfo(input: VideoFormat, output: VideoFormat) -> Bool { false }

    // MARK: GstVideoAggregator

    func aggregate(_ aggregator: UnsafeMutablePointer<GstVideoAggregator>, into buffer: RawBuffer) -> GstFlowReturn {
        GST_FLOW_ERROR
    }

    // MARK: GstBaseSrc and GstBaseSink

    /// Number of bytes of the stream, on any thread; nil if it is unknown.
    var byteCount: UInt64? { nil }
    /// Fills a buffer with at most `count` bytes from `offset` on.
    func fill(_ buffer: RawBuffer, at offset: UInt64, count: Int) -> GstFlowReturn { GST_FLOW_ERROR }
    /// Continues the stream at `time`; called with the stream lock held.
    func seek(to time: Duration) -> Bool { false }

    func create() -> (GstFlowReturn, RawBuffer?) { (GST_FLOW_ERROR, nil) }
    func render(_ buffer: RawBuffer) -> GstFlowReturn { GST_FLOW_ERROR }
    func endOfStream() {}
    func answer(_ query: borrowing Query) -> Bool? { nil }
    func handle(_ event: borrowing Event) -> Bool? { nil }

    // MARK: GstBufferPool

    /// The Swift pool; nil for other objects, on which C calls no pool methods.
    var pool: (any BufferPool)! { nil }
    var poolOptions: StringList? { nil }
    // C calls `acquire` and `release` for each frame. They do not use `pool`, because that would retain the pool.
    func acquire(_ buffer: UnsafeMutablePointer<UnsafeMutablePointer<GstBuffer>?>, waits: Bool) -> GstFlowReturn {
        GST_FLOW_ERROR
    }
    func release(_ buffer: UnsafeMutablePointer<GstBuffer>) {}

    // MARK: GstTracer

    var traced: (any Tracer)? { nil }
    func constructed(_ object: UnsafeMutablePointer<GObject>) {}

    // MARK: GstDeviceProvider and GstDevice

    var deviceProvider: (any DeviceProvider)? { nil }
    /// A new list of devices (transfer full).
    func probe() -> UnsafeMutablePointer<GList>? { nil }
    /// A new element that opens the device (floating reference).
    func makeElement(named name: UnsafePointer<gchar>?) -> UnsafeMutablePointer<GstElement>? { nil }

    // MARK: GstClock

    var internalTime: GstClockTime { .max }
}
