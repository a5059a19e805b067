import CGStreamer

/// The element that holds a frame, and how that is known.
public struct FrameHolder: Sendable, Equatable {
    /// The observation that identifies the holder.
    public enum Cause: Sendable, Equatable {
        /// It is the sample that the sink keeps to show again.
        case lastSample
        /// A thread is inside the element's chain function.
        case insidePush
        /// It was the last element that the frame entered.
        case lastEntered
        /// It has taken frames in and has put none out yet.
        case noOutputYet
        /// The element is an appsink, so the application has it or has yet to pull it.
        case application
    }

    /// Name of the element.
    public let element: String
    /// The observation that identifies it.
    public let cause: Cause
    /// It is a sink that waits for the time of each frame.
    public var waitsForClock = false
}

/// The elements behind a pad that wait for the time of each frame.
public struct SinksBehind: Sendable, Equatable {
    /// At least one element waits for the clock.
    public var anyKeepsTime = false
    /// At least one element waits for the clock, and all sinks do.
    public var allKeepTime = false
    /// One of them is no sink.
    public var anyOtherKeepsTime = false
    /// The largest `ts-offset` less `render-delay`.
    public var offset = Duration.zero
    /// The smallest `max-lateness`; nil when they show frames however late.
    public var maxLateness: Duration?
}

extension Pad {
    /// Looks behind this pad for the element that holds the frame of `token`; nil when that cannot be told.
    ///
    /// Takes the locks of the elements there for a moment each, and some milliseconds. Not for a thread that the stream
    /// waits for.
    public func searchHolder(of token: HeldToken) -> FrameHolder? {
        let lastPad = token.lastPad
        return searchHolder(lastPad: lastPad) { TokenMeta.carries($0, token.raw) }
    }

    /// The same for the frame that `isSought` tells from others.
    func searchHolder(lastPad: UInt = 0, _ isSought: (UnsafeMutablePointer<GstBuffer>) -> Bool) -> FrameHolder? {
        var search = HolderSearch(lastPad: lastPad)
        search.follow(self, isSought)
        return search.verdict(searchBlocked())
    }

    /// The element farthest behind this pad that has had a thread inside for some milliseconds.
    public func searchBlocked() -> FrameHolder? {
        // Each look is a moment only: a thread that is inside at all of them is not just passing.
        var blocked = deepestStreaming()
        for _ in 0..<4 where blocked != nil {
            g_usleep(3000)
            if deepestStreaming()?.pad != blocked?.pad { blocked = nil }
        }
        return blocked.map { FrameHolder(element: $0.element, cause: .insidePush, waitsForClock: $0.waitsForClock) }
    }

    private func deepestStreaming() -> (pad: UInt, element: String, waitsForClock: Bool)? {
        var deepest: (pad: UInt, element: String, waitsForClock: Bool)?
        forEachElementBehind { element in
            if let pad = sinkPads(of: element).last(where: { cgst_pad_is_streaming($0.raw) != 0 }) {
                deepest = (UInt(bitPattern: pad.raw), GStreamer.name(of: element), flag("sync", of: element))
            }
            return true
        }
        return deepest
    }

    /// Which elements behind this pad wait for the time of each frame: sinks, `clocksync` and their like.
    public var sinksBehind: SinksBehind {
        var behind = SinksBehind()
        var anyDoesNot = false
        forEachElementBehind { element in
            if flag("sync", of: element) {
                let delay = unsignedTime("render-delay", of: element) ?? .zero
                let offset = (time("ts-offset", of: element) ?? .zero) - delay
                behind.offset = behind.anyKeepsTime ? max(behind.offset, offset) : offset
                behind.anyKeepsTime = true
                if cgst_is_sink(element) == 0 { behind.anyOtherKeepsTime = true }
                // Negative is no limit.
                if let most = time("max-lateness", of: element), most >= .zero {
                    behind.maxLateness = min(behind.maxLateness ?? most, most)
                }
            } else if cgst_is_sink(element) != 0 {
                anyDoesNot = true
            }
            return true
        }
        behind.allKeepTime = behind.anyKeepsTime && !anyDoesNot
        return behind
    }

    fileprivate func forEachElementBehind(_ body: (UnsafeMutablePointer<GstElement>) -> Bool) {
        withoutActuallyEscaping(body) { body in
            var walk = PipelineWalk(.downstream, element: body)
            walk.follow(raw)
        }
    }
}

extension ElementHost {
    /// Searches behind the source pad for the element that holds a buffer; nil when that cannot be told.
    ///
    /// `isSought` gets a `GstBuffer` to compare. Takes the locks of the elements there for a moment each, and some
    /// milliseconds; not for the streaming thread.
    public func searchHolder(where isSought: (UnsafeMutableRawPointer) -> Bool) -> FrameHolder? {
        guard let pad = gst_element_get_static_pad(element, "src") else { return nil }
        defer { gst_object_unref(pad) }
        return Pad(raw: pad).searchHolder { isSought($0) }
    }
}

private struct HolderSearch {
    let lastPad: UInt
    var lastSample: FrameHolder?
    var lastEntered: FrameHolder?
    var withoutOutput: FrameHolder?
    var application: FrameHolder?

    init(lastPad: UInt) { self.lastPad = lastPad }

    mutating func follow(_ source: Pad, _ isSought: (UnsafeMutablePointer<GstBuffer>) -> Bool) {
        withUnsafeMutablePointer(to: &self) { search in
            source.forEachElementBehind { element in
                search.pointee.look(at: element, isSought)
                return search.pointee.lastSample == nil
            }
        }
    }

    /// From the surest to the least sure.
    func verdict(_ blocked: FrameHolder?) -> FrameHolder? {
        lastSample ?? blocked ?? lastEntered ?? withoutOutput ?? application
    }

    private mutating func look(
        at element: UnsafeMutablePointer<GstElement>, _ isSought: (UnsafeMutablePointer<GstBuffer>) -> Bool
    ) {
        let pads = sinkPads(of: element)
        let isApplication =
            cgst_has_property(element, "emit-signals", cgst_type_boolean()) != 0
            && cgst_is_sink(element) != 0
        if keepsAsLastSample(element, isSought) {
            lastSample = FrameHolder(element: name(of: element), cause: .lastSample)
        } else if isApplication {
            application = FrameHolder(element: name(of: element), cause: .application)
        }
        if lastPad != 0, pads.contains(where: { UInt(bitPattern: $0.raw) == lastPad }) {
            lastEntered = FrameHolder(element: name(of: element), cause: isApplication ? .application : .lastEntered)
        }
        if withoutOutput == nil, cgst_is_sink(element) == 0, pads.contains(where: { hasSegment($0.raw) }),
            !sourcePads(of: element).contains(where: { hasSegment($0.raw) })
        {
            withoutOutput = FrameHolder(element: name(of: element), cause: .noOutputYet)
        }
    }
}

private func name(of element: UnsafeMutablePointer<GstElement>) -> String {
    ElementHost(raw: UnsafeMutableRawPointer(element)).name
}

private func sinkPads(of element: UnsafeMutablePointer<GstElement>) -> [Pad] {
    pads(of: element, gst_element_foreach_sink_pad)
}

private func sourcePads(of element: UnsafeMutablePointer<GstElement>) -> [Pad] {
    pads(of: element, gst_element_foreach_src_pad)
}

/// The pads are the element's; they are looked at while the walk holds it.
private func pads(
    of element: UnsafeMutablePointer<GstElement>,
    _ forEach: (UnsafeMutablePointer<GstElement>?, GstElementForeachPadFunc?, gpointer?) -> gboolean
) -> [Pad] {
    var pads: [Pad] = []
    // `&pads` would be the array's elements.
    withUnsafeMutablePointer(to: &pads) { list in
        _ = forEach(
            element,
            { _, pad, list in
                if let pad { list?.assumingMemoryBound(to: [Pad].self).pointee.append(Pad(raw: pad)) }
                return 1
            }, list)
    }
    return pads
}

private func hasSegment(_ pad: UnsafeMutablePointer<GstPad>) -> Bool {
    guard let event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0) else { return false }
    gst_event_unref(event)
    return true
}

private func flag(_ property: String, of element: UnsafeMutablePointer<GstElement>) -> Bool {
    guard cgst_has_property(element, property, cgst_type_boolean()) != 0 else { return false }
    var value = GValue()
    g_value_init(&value, cgst_type_boolean())
    g_object_get_property(ElementHost(raw: UnsafeMutableRawPointer(element)).object, property, &value)
    return g_value_get_boolean(&value) != 0
}

private func time(_ property: String, of element: UnsafeMutablePointer<GstElement>) -> Duration? {
    guard cgst_has_property(element, property, cgst_type_int64()) != 0 else { return nil }
    var value = GValue()
    g_value_init(&value, cgst_type_int64())
    g_object_get_property(ElementHost(raw: UnsafeMutableRawPointer(element)).object, property, &value)
    return .nanoseconds(Int64(g_value_get_int64(&value)))
}

private func unsignedTime(_ property: String, of element: UnsafeMutablePointer<GstElement>) -> Duration? {
    guard cgst_has_property(element, property, cgst_type_uint64()) != 0 else { return nil }
    var value = GValue()
    g_value_init(&value, cgst_type_uint64())
    g_object_get_property(ElementHost(raw: UnsafeMutableRawPointer(element)).object, property, &value)
    return .nanoseconds(UInt64(g_value_get_uint64(&value)))
}

private func keepsAsLastSample(
    _ element: UnsafeMutablePointer<GstElement>, _ isSought: (UnsafeMutablePointer<GstBuffer>) -> Bool
) -> Bool {
    guard cgst_has_property(element, "last-sample", cgst_type_sample()) != 0 else { return false }
    var value = GValue()
    g_value_init(&value, cgst_type_sample())
    defer { g_value_unset(&value) }
    g_object_get_property(ElementHost(raw: UnsafeMutableRawPointer(element)).object, "last-sample", &value)
    guard let sample = g_value_get_boxed(&value), let buffer = gst_sample_get_buffer(OpaquePointer(sample))
    else { return false }
    return isSought(buffer)
}
