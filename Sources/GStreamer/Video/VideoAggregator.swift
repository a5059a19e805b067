import CGStreamer

/// An element that makes one video stream of several.
///
/// It has sink pads on request, with a template such as `sink_%u`, and one source pad with the template `src`. All video
/// is in system memory. A template that lists no formats permits each of them, but an input with alpha requires an output
/// with alpha.
///
/// `GstVideoAggregator` synchronizes the streams by their running times; in a live pipeline it waits no longer than the
/// latency. All frames have the format and the size of the output. Its width, height and frame rate are the largest ones of
/// the inputs, unless downstream requires others. The interlace mode of all inputs must be that of the output, which is
/// that of the first one, so put `deinterlace` before a pad if some are interlaced. The pads are children of the element
/// (`GstChildProxy`), so that `gst-launch-1.0` sets their properties as in `sink_1::opacity=0.5`. The methods are
/// serialized, so a conforming type may be a `struct` without a lock.
///
/// The corresponding C class is `GstVideoAggregator`.
public protocol VideoAggregator: Element, ~Copyable {
    /// The values of the properties of a sink pad; `NoSettings` if it has only those of `GstVideoAggregatorPad`.
    ///
    /// Sink pads have no report, and a string that a property refuses is only logged.
    associatedtype PadSettings: ElementSettings = NoSettings where PadSettings.Report == NoReport

    /// Called when the format of the output is negotiated, and again when it changes. Allocate memory here.
    ///
    /// Called on the streaming thread. If the method throws, the format is refused.
    /// The corresponding C method is `negotiated_src_caps`.
    mutating func configure(_ format: VideoFormat, _ settings: Settings) throws(FlowResult)

    /// Makes a frame of the output; the pixels have any value before, and the method must set all of them.
    ///
    /// Called on the streaming thread; the method must not allocate, lock or wait. Upstream receives the result that it
    /// throws. The corresponding C method is `aggregate_frames`.
    mutating func aggregate(
        _ inputs: borrowing AggregatorInputs<PadSettings>, into output: borrowing VideoFrame, _ settings: Settings
    ) throws(FlowResult)

    /// Called after a flush of all inputs, as of a seek: the next frame does not continue the stream.
    ///
    /// Forget earlier frames here. Called between two calls of `aggregate`, on the thread that seeks or flushes. The
    /// corresponding C method is `flush`.
    mutating func flush()
}

extension VideoAggregator where Self: ~Copyable {
    /// Accepts the format.
    public mutating func configure(_ format: VideoFormat, _ settings: Settings) throws(FlowResult) {}
    /// Does nothing.
    public mutating func flush() {}
}

/// The frames of one call of `VideoAggregator.aggregate`, in the order of the property `zorder` of the pads.
///
/// By default, that is the order in which the pads were requested. A pad whose input has ended keeps its index; with its
/// property `repeat-after-eos`, its last frame remains until all inputs have ended.
///
/// The value is valid only during the call.
public struct AggregatorInputs<PadSettings: ElementSettings>: ~Copyable where PadSettings.Report == NoReport {
    fileprivate let pads: [UnsafeMutablePointer<GstVideoAggregatorPad>]
    fileprivate let format: VideoFormat
    fileprivate let output: UnsafeMutablePointer<GstVideoFrame>

    /// The number of sink pads.
    public var count: Int { pads.count }

    /// The frame of a pad, in the format and the size of the output.
    ///
    /// It is nil if the pad has no frame, as before its stream starts, after its end and in a gap, if the strides and
    /// offsets of the frame do not fit its memory, and if `index` is out of range.
    ///
    /// The corresponding C function is `gst_video_aggregator_pad_get_prepared_frame`.
    @_lifetime(borrow self)
    public func frame(_ index: Int) -> InputFrame? {
        guard pads.indices.contains(index), let raw = gst_video_aggregator_pad_get_prepared_frame(pads[index]),
            raw.pointee.info.finfo == output.pointee.info.finfo, raw.pointee.info.width == output.pointee.info.width,
            raw.pointee.info.height == output.pointee.info.height
        else { return nil }
        return InputFrame(raw, format: format)
    }

    /// The settings of a pad; the default ones if `index` is out of range.
    public func settings(_ index: Int) -> PadSettings {
        guard pads.indices.contains(index) else { return PadSettings() }
        return lend(pads[index]) { ($0 as? AggregatorPadInstance<PadSettings>)?.store.settings } ?? PadSettings()
    }
}

/// Registers `E` as a subclass of `GstVideoAggregator`, and a class for its sink pads.
///
/// The same element may be registered again. The corresponding C function is `gst_element_register`.
public func register<E: VideoAggregator & ~Copyable>(_: E.Type, in plugin: Plugin) -> Bool {
    guard let padType = registerAggregatorPad(of: E.self) else { return false }
    return registerElement(
        E.self, in: plugin, below: gst_video_aggregator_get_type(), addInterfaces: ChildProxy.add,
        install: { template, gClass in
            // GstVideoAggregator accepts no format of a template that does not list its formats. Those of the output come
            // first, so that a source that has a choice sends frames that need no conversion.
            let formats = Caps(taking: gst_video_make_raw_caps(nil, 0))
            let output = E.padTemplates.first { !$0.isSink }.flatMap { Caps($0.caps) }
            template.install(
                on: gClass, padType: template.isSink ? padType : nil,
                within: output?.intersection(formats).merging(formats) ?? formats)
        }, initClass: setVideoAggregatorMethods, makeInstance: { VideoAggregatorInstance<E>($0, $1, $2) })
}

extension GstVideoAggregator: ClassInstance { typealias Class = GstVideoAggregatorClass }
extension GstAggregator: ClassInstance { typealias Class = GstAggregatorClass }

/// The Swift object of a `GstVideoAggregator`.
private final class VideoAggregatorInstance<E: VideoAggregator & ~Copyable>: ElementInstance<E> {
    private var negotiated: (caps: Caps, format: VideoFormat)?
    private var flush = DeferredFlush()
    /// The pads of the present frame; the array is kept so that its memory is reused.
    private var pads: [UnsafeMutablePointer<GstVideoAggregatorPad>] = []

    override func setCaps(_ caps: Caps) -> Bool {
        // GstAggregator also negotiates when a pad comes or goes.
        if caps == negotiated?.caps { return true }
        negotiated = nil
        return succeeds { () throws(FlowResult) in
            guard var info = caps.videoInfo else { throw .notNegotiated }
            let format = VideoFormat(&info)
            try element.configure(format, store.settings)
            negotiated = (caps, format)
        }
    }

    override func aggregate(
        _ aggregator: UnsafeMutablePointer<GstVideoAggregator>, into buffer: RawBuffer
    ) -> GstFlowReturn {
        guard let format = negotiated?.format else { return GST_FLOW_NOT_NEGOTIATED }
        var raw = GstVideoFrame()
        let access = GstMapFlags(GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue)
        guard gst_video_frame_map(&raw, &aggregator.pointee.info, buffer, access) != 0 else {
            return host.fail(.resource(.write, "The memory of an output frame cannot be written.")).raw
        }
        defer { gst_video_frame_unmap(&raw) }
        // `release_pad` waits until this call returns, so the pads continue to exist.
        pads.removeAll(keepingCapacity: true)
        whileLocked(&aggregator.pointee.aggregator.parent) { element in
            var next = element.pointee.sinkpads
            while let item = next {
                pads.append(item.pointee.data.assumingMemoryBound(to: GstVideoAggregatorPad.self))
                next = item.pointee.next
            }
        }
        return withUnsafeMutablePointer(to: &raw) { raw in
            guard let output = VideoFrame(raw, format: format) else { return host.fail(.frameExceedsMemory()).raw }
            let inputs = AggregatorInputs<E.PadSettings>(pads: pads, format: format, output: raw)
            flush.isBusy = true
            defer { if flush.ends() { element.flush() } }
            return flow { () throws(FlowResult) in try element.aggregate(inputs, into: output, store.settings) }
        }
    }

    override func flushed() { if flush.arrives() { element.flush() } }

    override func stop() {
        super.stop()
        negotiated = nil
        pads = []
    }
}

private func setVideoAggregatorMethods(_ gClass: UnsafeMutableRawPointer) {
    let element = gClass.assumingMemoryBound(to: GstElementClass.self)
    // The base class creates and releases the pads; `ConcurrentElement` has no part in it.
    element.pointee.request_new_pad = { element, template, name, caps in
        guard let element, let pad = parentClass(of: element)?.pointee.request_new_pad?(element, template, name, caps)
        else { return nil }
        ChildProxy.announce(pad, of: element, isNew: true)
        return pad
    }
    element.pointee.release_pad = { element, pad in
        guard let element, let pad else { return }
        ChildProxy.announce(pad, of: element, isNew: false)
        parentClass(of: element)?.pointee.release_pad?(element, pad)
    }
    let aggregator = gClass.assumingMemoryBound(to: GstAggregatorClass.self)
    aggregator.pointee.sink_event_pre_queue = { aggregator, pad, event in
        guard let aggregator, let event else { return GST_FLOW_ERROR }
        guard hasTimeFormat(event) else {
            gst_event_unref(event)
            return ElementHost(unsafe: &aggregator.pointee.parent).fail(
                .stream(.format, "A stream has no times.", debug: "Its segment is not in the format TIME.")
            ).raw
        }
        return parentClass(of: aggregator)?.pointee.sink_event_pre_queue?(aggregator, pad, event) ?? GST_FLOW_ERROR
    }
    aggregator.pointee.sink_event = { aggregator, pad, event in
        guard let aggregator, let event else { return 0 }
        let isCaps = event.pointee.type == GST_EVENT_CAPS
        let isHandled = parentClass(of: aggregator)?.pointee.sink_event?(aggregator, pad, event) ?? 0
        // GstAggregator ignores that caps are refused.
        if isCaps, isHandled == 0 {
            _ = ElementHost(unsafe: &aggregator.pointee.parent).fail(
                .stream(.format, "An input has another interlace mode than the output; put deinterlace before the pad.")
            )
        }
        return isHandled
    }
    aggregator.pointee.flush = { aggregator in
        lend(aggregator) { $0.flushed() }
        return parentClass(of: aggregator)?.pointee.flush?(aggregator) ?? GST_FLOW_OK
    }
    aggregator.pointee.negotiated_src_caps = { aggregator, caps in
        // The base class stores the format of the output.
        guard parentClass(of: aggregator)?.pointee.negotiated_src_caps?(aggregator, caps) ?? 0 != 0 else { return 0 }
        return lend(aggregator, caps) { $0.setCaps(Caps($1)) }
    }
    gClass.assumingMemoryBound(to: GstVideoAggregatorClass.self).pointee.aggregate_frames = { aggregator, buffer in
        guard let aggregator, let buffer, let pad = UnsafeMutableRawPointer(aggregator.pointee.aggregator.srcpad) else {
            return GST_FLOW_ERROR
        }
        let source = pad.assumingMemoryBound(to: GstAggregatorPad.self)
        syncControlledProperties(of: aggregator, &source.pointee.segment, at: buffer)
        return lend(aggregator) { $0.aggregate(aggregator, into: buffer) }
    }
}

/// False for a SEGMENT event whose format is not TIME, which ends GstVideoAggregator with an assertion.
private func hasTimeFormat(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
    guard event.pointee.type == GST_EVENT_SEGMENT else { return true }
    var segment: UnsafePointer<GstSegment>?
    gst_event_parse_segment(event, &segment)
    return segment?.pointee.format == GST_FORMAT_TIME
}
