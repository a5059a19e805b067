import CGStreamer
import GStreamer
@_exported import GStreamerTesting

public typealias RawBuffer = UnsafeMutablePointer<GstBuffer>

// The harness with C types, which these tests compare.

extension Harness {
    /// An element that does not start refuses buffers, so that only expectations of its test fail.
    public convenience init(_ subject: TestElement, caps: String? = nil, plays: Bool = true) {
        self.init(ElementReference(unsafe: subject.element), [:], owner: subject, plays: false)!
        if plays, element.setState(.playing) == .success, let caps { begin(caps: caps) }
    }

    /// The elements of a launch line with one unlinked pad at each end; nil if the line is not valid.
    public convenience init?(line: String, caps: String? = nil) {
        _ = Setup.once
        guard let bin = ElementReference(launchLine: line) else { return nil }
        self.init(bin, caps: caps)
    }

    public var subject: TestElement { owner as! TestElement }

    /// Sends an event (transfer full).
    @discardableResult
    public func push(event: UnsafeMutablePointer<GstEvent>) -> Bool { push(Event(unsafeTaking: event)) }

    /// Sends a buffer (transfer full).
    @discardableResult
    public func push(_ buffer: RawBuffer) -> GstFlowReturn {
        GstFlowReturn(rawValue: push(GStreamer.Buffer(unsafeTaking: buffer)).rawValue)
    }

    /// The oldest received buffer (transfer full); nil if there is none.
    public func pullRaw() -> RawBuffer? { pull()?.buffer?.unsafeGive() }

    /// Sends a frame and returns the bytes of the frame that arrives; nil if no frame arrives.
    public func play(_ bytes: [UInt8], pts: UInt64?, flags: UInt32 = 0) -> [UInt8]? {
        let buffer = newBuffer(bytes, pts: pts)
        buffer.pointee.mini_object.flags |= flags
        return push(buffer) == GST_FLOW_OK ? pull()?.bytes : nil
    }
}

extension TestClock {
    public convenience init(_ pipeline: Pipeline) { self.init(ElementReference(unsafe: pipeline.raw))! }
}

public func newBuffer(_ bytes: [UInt8], pts: UInt64? = nil) -> RawBuffer {
    _ = Setup.once
    let buffer = GStreamer.Buffer(bytes).unsafeGive()
    if let pts { buffer.pointee.pts = GstClockTime(pts) }
    return buffer
}

extension RawBuffer {
    /// All bytes of the buffer, including padding.
    public var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(gst_buffer_get_size(self)))
        gst_buffer_extract(self, 0, &bytes, gsize(bytes.count))
        return bytes
    }
}
