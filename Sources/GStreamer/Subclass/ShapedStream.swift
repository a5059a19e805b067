import CGStreamer
import Synchronization

/// The way of the frames through a bin: its two pads, the scaler between them, and what they have agreed on.
///
///     sink (ghost) → inner source → [scaler] → inner sink → src (ghost)
///
/// The scaler is told what to make by the answer to its own CAPS query, on the streaming thread alone: everybody else
/// hears that any size will do, so that frames under way with old caps are never refused.
public final class ShapedStream: @unchecked Sendable {  // Pads guard themselves; the rest says whose it is.
    let bin: ElementHost
    let sink: UnsafeMutablePointer<GstPad>
    let source: UnsafeMutablePointer<GstPad>
    /// Nil when no scaler is installed.
    let scaler: Scaler?
    /// Why frames may not go on: GstFlowReturn, or 0.
    private let verdict = Atomic<Int32>(0)
    private let mustReshape = Atomic<Bool>(false)
    private let mustAsk = Atomic<Bool>(false)
    private let paced = Atomic<Bool>(false)
    /// The thread that is inside the scaler: it alone is told the target.
    private let negotiator = Atomic<UInt>(0)

    // MARK: The streaming thread's own
    /// Frames leave as they came.
    private(set) var isPassthrough = true
    /// What the scaler is to make; nil when it may choose.
    private var target: UnsafeMutablePointer<GstCaps>?
    private(set) var input: UnsafeMutablePointer<GstCaps>?
    /// A frame that was dropped told of a gap before it.
    private var owesDiscontinuity = false
    /// Whether the scaler keeps the shape of what it shows, with black beside it.
    private var hasBorders = true

    struct Scaler {
        let element: UnsafeMutablePointer<GstElement>
        let sink: UnsafeMutablePointer<GstPad>
        let source: UnsafeMutablePointer<GstPad>
        /// The inside of the bin's sink pad; it sends into the scaler.
        let entrance: UnsafeMutablePointer<GstPad>
        /// The inside of the bin's source pad; it takes what the scaler makes.
        let exit: UnsafeMutablePointer<GstPad>
    }

    init(
        bin: ElementHost, sink: UnsafeMutablePointer<GstPad>, source: UnsafeMutablePointer<GstPad>, scaler: Scaler?
    ) {
        self.bin = bin
        self.sink = sink
        self.source = source
        self.scaler = scaler
    }

    deinit {
        if let target { gst_caps_unref(target) }
        if let input { gst_caps_unref(input) }
    }

    // MARK: For the element, on any thread

    /// Has the stream's shape worked out anew before the next frame.
    public func requestReshape() { mustReshape.store(true, ordering: .releasing) }

    /// Has the element choose anew, before the next frame, what upstream is to send.
    public func requestUpstreamChange() { mustAsk.store(true, ordering: .releasing) }

    /// Whether each frame is to be judged.
    public func setPaced(_ isPaced: Bool) { paced.store(isPaced, ordering: .relaxed) }

    /// Refuses all frames from now on, or no longer.
    public func setRefusing(_ isRefusing: Bool) {
        verdict.store(isRefusing ? GST_FLOW_ERROR.rawValue : 0, ordering: .relaxed)
    }

    // MARK: For the bridge, on the streaming thread

    /// Forgets the stream, when the pads are not active.
    public func reset() {
        replace(&target, with: nil)
        replace(&input, with: nil)
        isPassthrough = true
        owesDiscontinuity = false
        mustReshape.store(false, ordering: .relaxed)
        mustAsk.store(false, ordering: .relaxed)
    }

    /// Takes the frame.
    func receive(_ buffer: UnsafeMutablePointer<GstBuffer>, _ box: any ShapedBin) -> GstFlowReturn {
        let stop = verdict.load(ordering: .relaxed)
        if stop != 0 {
            gst_buffer_unref(buffer)
            return GstFlowReturn(rawValue: stop)
        }
        if mustAsk.load(ordering: .relaxed), mustAsk.exchange(false, ordering: .acquiring) { askUpstream(box) }
        if mustReshape.load(ordering: .relaxed), mustReshape.exchange(false, ordering: .acquiring), let input {
            _ = reshape(gst_caps_ref(input), box, isNew: false)
        }
        var buffer = buffer
        if paced.load(ordering: .relaxed) {
            let time = valid(buffer.pointee.pts)
            switch box.verdict(onFrameAt: time) {
            case .pass: break
            case .drop:
                if gst_buffer_has_flags(buffer, GST_BUFFER_FLAG_DISCONT) != 0 { owesDiscontinuity = true }
                gst_buffer_unref(buffer)
                return GST_FLOW_OK
            case .stretch(let duration):
                if valid(buffer.pointee.duration) != nil {
                    buffer = cgst_buffer_make_writable(buffer)
                    buffer.pointee.duration = GstClockTime(duration)
                }
            }
        }
        if owesDiscontinuity {
            owesDiscontinuity = false
            buffer = cgst_buffer_make_writable(buffer)
            gst_buffer_set_flags(buffer, GST_BUFFER_FLAG_DISCONT)
        }
        guard let scaler else {
            gst_buffer_unref(buffer)
            return GST_FLOW_NOT_NEGOTIATED
        }
        let mayChange = cgst_pad_needs_reconfigure(scaler.source) != 0
        if isPassthrough, !mayChange { return gst_pad_push(source, buffer) }
        let result = insideScaler { gst_pad_push(scaler.entrance, buffer) }
        if mayChange { noteAgreement() }
        return result
    }

    /// Finds the best shape that downstream takes, and sends the caps for it; takes the reference.
    func reshape(_ caps: UnsafeMutablePointer<GstCaps>, _ box: any ShapedBin, isNew: Bool) -> Bool {
        defer { gst_caps_unref(caps) }
        guard let scaler else { return false }
        if input != caps { replace(&input, with: gst_caps_ref(caps)) }
        guard let picture = StreamPicture(caps) else { return send(caps, scaler) }
        setBorders(false, scaler)
        for shape in box.shapes(for: picture, isNew: isNew) {
            guard let shape = taken(shape, from: picture, caps, box),
                let wanted = shape.applied(to: caps, nailsPixels: true)
            else { continue }
            defer { gst_caps_unref(wanted) }
            var entering = picture
            (entering.rateNumerator, entering.rateDenominator) = (shape.rateNumerator, shape.rateDenominator)
            guard let inner = entering.applied(to: caps) else { continue }
            defer { gst_caps_unref(inner) }
            inner.showAsLarge(as: wanted)
            replace(&target, with: gst_caps_ref(wanted))
            if send(inner, scaler) {
                box.shaped(picture, into: shape)
                return true
            }
        }
        // As a scaler does by itself, when what is wanted cannot be had.
        replace(&target, with: nil)
        setBorders(true, scaler)
        guard send(caps, scaler) else { return false }
        let made = gst_pad_get_current_caps(source)
        defer { if let made { gst_caps_unref(made) } }
        box.shaped(picture, into: made.flatMap { StreamPicture($0) } ?? picture)
        return true
    }

    /// Answers the scaler, which asks what it may make; false when it is somebody else who asks.
    func answerScaler(_ query: UnsafeMutablePointer<GstQuery>) -> Bool {
        guard negotiator.load(ordering: .relaxed) == thisThread, let target else { return false }
        var filter: UnsafeMutablePointer<GstCaps>?
        gst_query_parse_caps(query, &filter)
        guard let answer = gst_pad_peer_query_caps(source, target) else { return false }
        defer { gst_caps_unref(answer) }
        if let filter {
            guard let both = gst_caps_intersect_full(filter, answer, GST_CAPS_INTERSECT_FIRST) else { return false }
            gst_query_set_caps_result(query, both)
            gst_caps_unref(both)
        } else {
            gst_query_set_caps_result(query, answer)
        }
        return true
    }

    // MARK: Details

    /// `shape` if downstream takes it, or the nearest that it takes, as of an encoder that wants whole blocks.
    private func taken(
        _ shape: StreamPicture, from picture: StreamPicture, _ caps: UnsafeMutablePointer<GstCaps>, _ box: any ShapedBin
    ) -> StreamPicture? {
        func isTaken(_ shape: StreamPicture) -> Bool {
            guard let wanted = shape.applied(to: caps, nailsPixels: true) else { return false }
            defer { gst_caps_unref(wanted) }
            return downstreamTakes(wanted)
        }
        if isTaken(shape) { return shape }
        guard shape.width < picture.width || shape.height < picture.height,
            let less = shape.applied(to: caps, nailsPixels: true)
        else { return nil }
        defer { gst_caps_unref(less) }
        less.setSides(upTo: picture.width, picture.height)
        guard let answer = gst_pad_peer_query_caps(source, less) else { return nil }
        defer { gst_caps_unref(answer) }
        return box.nearest(to: shape, of: StreamOffer.all(in: answer, like: caps), from: picture)
            .flatMap { isTaken($0) ? $0 : nil }
    }

    private func send(_ caps: UnsafeMutablePointer<GstCaps>, _ scaler: Scaler) -> Bool {
        let isTaken = insideScaler { gst_pad_push_event(scaler.entrance, gst_event_new_caps(caps)) != 0 }
        noteAgreement()
        return isTaken
    }

    private func setBorders(_ hasBorders: Bool, _ scaler: Scaler) {
        guard hasBorders != self.hasBorders else { return }
        self.hasBorders = hasBorders
        gst_util_set_object_arg(
            UnsafeMutableRawPointer(scaler.element).assumingMemoryBound(to: GObject.self), "add-borders",
            hasBorders ? "true" : "false")
    }

    private func noteAgreement() {
        guard let scaler else { return }
        let (one, other) = (gst_pad_get_current_caps(scaler.sink), gst_pad_get_current_caps(scaler.source))
        defer {
            if let one { gst_caps_unref(one) }
            if let other { gst_caps_unref(other) }
        }
        guard let one, let other else { return isPassthrough = false }
        isPassthrough = one == other || gst_caps_is_equal(one, other) != 0
    }

    private func insideScaler<Result>(_ body: () -> Result) -> Result {
        negotiator.store(thisThread, ordering: .relaxed)
        defer { negotiator.store(0, ordering: .relaxed) }
        return body()
    }

    private var thisThread: UInt { UInt(bitPattern: g_thread_self()) }

    private func replace(_ place: inout UnsafeMutablePointer<GstCaps>?, with caps: UnsafeMutablePointer<GstCaps>?) {
        let old = place
        place = caps
        if let old { gst_caps_unref(old) }
    }
}
