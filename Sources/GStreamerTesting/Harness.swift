import CGStreamer
public import Durations
package import CGStreamerCheck
public import GStreamer
import Threads

/// An element in PLAYING between two pads: a test pushes into one, and pulls what arrives at the other.
///
///     let caps = "video/x-raw, format=BGRx, width=2, height=1, framerate=30/1"
///     let harness = try #require(Harness("negative", ["amount": "1"], caps: caps))
///     #expect(harness.play([0, 0, 0, 0, 255, 255, 255, 0])?.prefix(3) == [255, 255, 255])
///
/// The element has no pipeline. Its streaming methods run on the thread that pushes, unless it has threads of its own.
/// Different threads may push, pull and flush. When the last harness of an element is released, the element goes to NULL.
/// The corresponding C type is `GstHarness`.
public final class Harness: @unchecked Sendable {  // GstHarness and GstBus are thread-safe.
    /// The element under test; it has the properties.
    public let element: ElementReference
    package let raw: UnsafeMutablePointer<GstHarness>
    /// An object that must exist as long as the harness.
    package let owner: AnyObject?
    private let bus: UnsafeMutablePointer<GstBus>
    /// Number of harnesses of each element, and whether the first one has set the bus.
    private static let users = Mutex<[UInt: (count: Int, setBus: Bool)]>([:])
    private var input: ElementPad?
    private var output: ElementPad?
    private let lifetimes: Lifetimes?

    /// Puts a new element of the factory `name` between the pads; nil if there is no such factory, or it lacks a pad.
    ///
    /// The properties have the syntax of `gst-launch-1.0`. Nil is also the result for a property that the element does
    /// not have, or a value that it does not accept. Initializes GStreamer if necessary.
    public convenience init?(
        _ name: String, _ properties: [String: String] = [:], sink: String? = "sink", source: String? = "src",
        caps: String? = nil, accepting accepted: String? = nil
    ) {
        initialize()
        guard let element = ElementReference(factory: name) else { return nil }
        self.init(element, properties, sink: sink, source: source, caps: caps, accepting: accepted)
    }

    /// Puts `element`, which is in no bin, between the pads; nil if it lacks the pad `sink` or `source`.
    ///
    /// A source has no `sink`, and a sink no `source`; pass nil for it. The name may be that of a pad on request, such as
    /// `sink_0` or `sink_%u`. Nil is also the result for caps that are not valid, and for an element that does not go to
    /// PLAYING at once. A second harness of the element may have a second input or output, and nil for the other pad. The
    /// harness gives the element a test clock at 0, so a live source needs `TestClock`. A stream of `caps` begins at once;
    /// without caps, it begins with `begin`. Downstream accepts the caps `accepted`, or any. The properties `sync` and
    /// `async` of a sink are false, unless they are among the properties of the other initializer. The corresponding C
    /// functions are `gst_harness_new_with_element` and `gst_harness_play`.
    public convenience init?(
        _ element: ElementReference, sink: String? = "sink", source: String? = "src", caps: String? = nil,
        accepting accepted: String? = nil
    ) {
        self.init(element, [:], sink: sink, source: source, caps: caps, accepting: accepted)
    }

    /// Without `plays`, the element remains in its state, and no stream begins.
    package init?(
        _ element: ElementReference, _ properties: [String: String], sink: String? = "sink", source: String? = "src",
        caps: String? = nil, accepting accepted: String? = nil, owner: AnyObject? = nil, lifetimes: Lifetimes? = nil,
        plays: Bool = true
    ) {
        guard properties.allSatisfy({ element.set($0, toText: $1) }) else { return nil }
        // GStreamer ends the process if a pad is missing, or if caps are not valid.
        guard sink != nil || caps == nil, source != nil || accepted == nil,
            [caps, accepted].allSatisfy({ $0.map { Caps($0) != nil } ?? true })
        else { return nil }
        input = sink.flatMap { ElementPad($0, GST_PAD_SINK, of: element) }
        output = source.flatMap { ElementPad($0, GST_PAD_SRC, of: element) }
        guard (input == nil) == (sink == nil), (output == nil) == (source == nil) else { return nil }
        (self.element, self.owner, self.lifetimes) = (element, owner, lifetimes)
        // GStreamer ends the process if the element of a GstHarness does not start, so an empty bin is in its place.
        raw = gst_harness_new_with_padnames("bin", nil, nil)
        bus = element.withUnsafePointer { raw in
            let present = gst_element_get_bus(raw)
            let bus = present ?? gst_bus_new()!
            if present == nil { gst_element_set_bus(raw, bus) }
            lifetimes?.watch(raw)
            Self.users.withLock { $0[element.identity, default: (0, present == nil)].count += 1 }
            return bus
        }
        if let input { gst_harness_add_element_sink_pad(raw, input.raw) }
        if let output { gst_harness_add_element_src_pad(raw, output.raw) }
        if element.isSink { for name in ["sync", "async"] { element.set(name, toText: properties[name] ?? "false") } }
        if element.withUnsafePointer({ $0.pointee.clock }) == nil { _ = TestClock(self) }
        guard plays else { return }
        if sink != nil { gst_harness_push_event(raw, gst_event_new_stream_start("test")) }
        guard element.setState(.playing) == .success else { return nil }
        if let accepted { accept(accepted) }
        if let caps { gst_harness_set_src_caps_str(raw, caps) }
    }

    /// A pad of the element, which is released if it is a pad on request.
    private final class ElementPad {
        let raw: UnsafeMutablePointer<GstPad>
        /// The same pad.
        let pad: Pad
        private let element: ElementReference

        /// A pad that exists, or one that the element creates for a template such as `sink_%u`.
        init?(_ name: String, _ direction: GstPadDirection, of element: ElementReference) {
            let pad = element.withUnsafePointer {
                gst_element_get_static_pad($0, name) ?? gst_element_request_pad_simple($0, name)
            }
            guard let pad, let same = element.pad(String(cString: pad.pointee.object.name)) else { return nil }
            (raw, self.element) = (pad, element)
            self.pad = same
            guard gst_pad_get_direction(pad) == direction, gst_pad_is_linked(pad) == 0 else { return nil }
        }

        deinit {
            if raw.pointee.padtemplate?.pointee.presence == GST_PAD_REQUEST {
                element.withUnsafePointer { gst_element_release_request_pad($0, raw) }
            }
            gst_object_unref(raw)
        }
    }

    deinit {
        let user = Self.users.withLock { users in
            users[element.identity]?.count -= 1
            return users[element.identity]?.count == 0 ? users.removeValue(forKey: element.identity) : nil
        }
        if user != nil { element.setState(.null) }
        // The pads on request are unlinked, because the GstHarness would release them from the bin.
        (input, output) = (nil, nil)
        gst_harness_teardown(raw)
        if user?.setBus == true { element.withUnsafePointer { gst_element_set_bus($0, nil) } }
        gst_object_unref(bus)
    }

    // MARK: Events and states

    /// Sends the events that begin a stream: STREAM_START, CAPS and SEGMENT.
    public func begin(caps: String?) {
        push(Event(unsafeTaking: gst_event_new_stream_start("test")))
        if let caps { gst_harness_set_src_caps_str(raw, caps) } else { beginSegment() }
    }

    /// Sends a TIME segment that starts at `start`; returns false if the element refuses it.
    @discardableResult
    public func beginSegment(at start: Duration = .zero) -> Bool {
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        segment.start = guint64(UInt64(nanosecondsOf: start))
        segment.time = segment.start
        return push(Event(unsafeTaking: gst_event_new_segment(&segment)))
    }

    /// Flushes the stream as a seek does: FLUSH_START, FLUSH_STOP, and the SEGMENT of the stream from `start` on.
    public func flush(to start: Duration = .zero) {
        guard let event = Event.flushStart() else { return }
        let stop = Event.flushStop(after: event, resetsTime: true)
        push(event)
        push(stop)
        beginSegment(at: start)
    }

    /// Sets the element to NULL, then to PLAYING, and begins a stream of `caps`; without caps, it begins none.
    public func restart(caps: String? = nil) {
        element.setState(.null)
        element.setState(.playing)
        if let caps { begin(caps: caps) }
    }

    /// Sends caps in midstream; returns false if the caps are not valid, or if the element refuses them.
    public func offer(_ caps: String) -> Bool {
        guard let parsed = gst_caps_from_string(caps) else { return false }
        defer { gst_caps_unref(parsed) }
        // Send the event directly, because the pad of the harness would store a refused event and return true.
        guard let own = raw.pointee.srcpad, let pad = gst_pad_get_peer(own) else { return false }
        defer { gst_object_unref(pad) }
        return gst_pad_send_event(pad, gst_event_new_caps(parsed)) != 0
    }

    /// Makes downstream accept only `caps`, from the next negotiation on.
    ///
    /// The corresponding C function is `gst_harness_set_sink_caps_str`.
    public func accept(_ caps: String) { gst_harness_set_sink_caps_str(raw, caps) }

    /// Sends an event downstream into the element; returns false if the element refuses it, or if `event` is nil.
    ///
    /// The corresponding C function is `gst_harness_push_event`.
    @discardableResult
    public func push(_ event: consuming Event?) -> Bool {
        guard let event = event.take()?.unsafeGive() else { return false }
        lifetimes?.watch(event)
        return gst_harness_push_event(raw, event) != 0
    }

    /// Sends an event upstream into the source pad of the element; returns false if the element refuses it, or for nil.
    ///
    /// The corresponding C function is `gst_harness_push_upstream_event`.
    @discardableResult
    public func pushUpstream(_ event: consuming Event?) -> Bool {
        guard let event = event.take()?.unsafeGive() else { return false }
        lifetimes?.watch(event)
        return gst_harness_push_upstream_event(raw, event) != 0
    }

    /// The oldest event that has arrived downstream and was not pulled; nil if there is none.
    ///
    /// The corresponding C function is `gst_harness_try_pull_event`.
    public func pullEvent() -> Event? { gst_harness_try_pull_event(raw).map { Event(unsafeTaking: $0) } }

    /// The oldest event that has arrived upstream and was not pulled; nil if there is none.
    ///
    /// The corresponding C function is `gst_harness_try_pull_upstream_event`.
    public func pullUpstreamEvent() -> Event? {
        gst_harness_try_pull_upstream_event(raw).map { Event(unsafeTaking: $0) }
    }

    // MARK: Buffers

    /// Sends a buffer; returns the result of the element.
    ///
    /// The corresponding C function is `gst_harness_push`.
    @discardableResult
    public func push(_ buffer: consuming Buffer) -> FlowResult {
        let buffer = buffer.unsafeGive()
        lifetimes?.watch(buffer)
        return FlowResult(rawValue: gst_harness_push(raw, buffer).rawValue)
    }

    /// The oldest buffer that has arrived and was not pulled, with the present caps; nil if there is none.
    ///
    /// An element without a thread of its own has pushed before `push` returns. The corresponding C function is
    /// `gst_harness_try_pull`.
    public func pull() -> Sample? { took(gst_harness_try_pull(raw)) }

    /// Waits for a buffer, as of a source or a queue, which push on threads of their own; nil after 60 s.
    ///
    /// The corresponding C function is `gst_harness_pull`.
    public func waitForBuffer() -> Sample? { took(gst_harness_pull(raw)) }

    private func took(_ buffer: UnsafeMutablePointer<GstBuffer>?) -> Sample? {
        guard let buffer else { return nil }
        lifetimes?.watch(buffer)
        return Sample(Buffer(unsafeTaking: buffer), caps: output?.pad.currentCaps)
    }

    /// Sends a buffer with these bytes, and returns the bytes of the buffer that arrives; nil if none arrives.
    public func play(_ bytes: [UInt8], pts: Duration? = nil) -> [UInt8]? {
        var buffer = Buffer(bytes)
        buffer.pts = pts
        return push(buffer) == .ok ? pull()?.bytes : nil
    }

    // MARK: Bus

    /// Errors, warnings, infos and element messages since the last call.
    public func messages() -> [PostedMessage] { PostedMessage.all(on: bus) }
}

extension Buffer {
    /// A new buffer with a copy of `bytes`; ends the process if there is no memory.
    public init(_ bytes: [UInt8]) { self.init(copying: bytes.span)! }
}
