import CGStreamer

// C function pointers carry no generic parameters. C enters through `Instance`, which knows no Swift type, and reaches
// the generic subclass by an overridden method: `ElementInstance`, `BaseTransformInstance`, `VideoFilterInstance` and so
// on, which inherit as the C classes do. A method that a class does not override is never set in its C class.

/// The Swift object behind a C instance; owned by the instance.
class Instance {
    let type: ObjectType
    private let properties: PropertyStore

    init(_ type: ObjectType, _ properties: PropertyStore) {
        self.type = type
        self.properties = properties
    }

    // MARK: GObject

    /// False when there is no such property, or it cannot be written.
    func write(_ id: guint, from value: UnsafePointer<GValue>?) -> Bool {
        value.map { properties.write(id, from: $0) } ?? false
    }

    /// False when there is no such property, or it cannot be read.
    final func read(_ id: guint, into value: UnsafeMutablePointer<GValue>?) -> Bool {
        value.map { properties.read(id, into: $0) } ?? false
    }

    /// Why the last value of a property cannot be used.
    final var failure: ElementError? { properties.failure }

    // MARK: GstElement

    /// The element as one whose methods any thread may call; nil when it is not one.
    var concurrent: (any ConcurrentElement)? { nil }
    func start() -> Bool { true }
    func stop() {}
    func changeState(_ element: UnsafeMutablePointer<GstElement>?, _ change: GstStateChange) -> GstStateChangeReturn {
        GST_STATE_CHANGE_FAILURE
    }

    // MARK: The classes of libgstbase

    func setCaps(_ caps: UnsafeMutablePointer<GstCaps>) -> Bool { true }
    /// Tells what waits in a streaming method to give up, or that it may wait again; on any thread.
    func flush(_ isFlushing: Bool) {}

    // MARK: GstBaseTransform

    func proposeAllocation(_ query: UnsafeMutablePointer<GstQuery>) -> Bool { false }
    /// The buffer that goes on, or nil and why none does; takes the buffer.
    func submit(_ buffer: UnsafeMutablePointer<GstBuffer>) -> (GstFlowReturn, UnsafeMutablePointer<GstBuffer>?) {
        (GST_FLOW_OK, buffer)
    }
    func transform(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn { GST_FLOW_OK }
    /// Copies the settings for the next buffer; true when the buffer is to go through untouched.
    func bufferArrives() -> Bool { false }
    func bufferPasses() {}

    // MARK: GstVideoFilter

    func setInfo(_ format: VideoFormat) -> Bool { false }
    func transform(_ frame: UnsafeMutablePointer<GstVideoFrame>) -> GstFlowReturn { GST_FLOW_ERROR }

    // MARK: GstBaseSrc and GstBaseSink

    func create() -> (GstFlowReturn, UnsafeMutablePointer<GstBuffer>?) { (GST_FLOW_ERROR, nil) }
    func render(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn { GST_FLOW_ERROR }
    func endOfStream() {}
    func answer(_ query: Query) -> Bool? { nil }

    // MARK: GstBufferPool

    /// Of pools only; C calls the methods of a pool on no other class.
    var pool: (any BufferPool)! { nil }
    var poolOptions: StringList? { nil }

    // MARK: GstTracer

    var traced: (any Tracer)? { nil }
    func constructed(_ object: UnsafeMutablePointer<GObject>) {}

    // MARK: GstClock

    var internalTime: GstClockTime { .max }
}
