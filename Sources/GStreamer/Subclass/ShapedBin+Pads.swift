import CGStreamer

extension ShapedStream {
    /// The way through `host`, a new bin with the always pads `sink` and `src`, and the first of `scalers` that is
    /// installed inside.
    public convenience init(through host: ElementHost, _ templates: [PadTemplate], scalers: [String]) {
        let scaler = scalers.lazy.compactMap { ElementReference(factory: $0, name: "scale") }.first
        if let scaler { host.add(scaler) }
        let pads = templates.map { host.addGhostPad($0, target: scaler?.pad($0.name)) }
        // The bin lists both templates, and is new.
        let (sink, source) = (pads.first { $0?.isSink == true }!!, pads.first { $0?.isSink == false }!!)
        self.init(
            bin: host, sink: sink.raw, source: source.raw,
            scaler: scaler.flatMap { inside($0.raw, sink.raw, source.raw) })
        sink.connect()
        source.connect()
        if let scaler = self.scaler { connectExit(scaler.exit) }
    }
}

extension ShapedBin {
    /// Judges the frame, and sends it on or through the scaler.
    public func chain(_ buffer: consuming Buffer, on pad: Pad) -> FlowResult {
        FlowResult(stream.receive(buffer.give(), self))
    }

    /// Negotiates with the caps that arrive; forwards all else.
    public func sinkEvent(_ event: consuming Event, on pad: Pad) -> FlowResult {
        switch event.kind {
        case .caps:
            guard let caps = event.caps else { break }
            return stream.reshape(gst_caps_ref(caps.raw), self, isNew: true) ? .ok : .error
        case .flushStop, .segment: timeRestarted()
        default: break
        }
        return pad.handleByDefault(event) ? .ok : .error
    }

    /// Answers CAPS with the wish first; forwards all else.
    public func sinkQuery(_ query: Query, on pad: Pad) -> Bool {
        guard query.raw.pointee.type == GST_QUERY_CAPS else { return pad.answerByDefault(query) }
        return answerUpstream(query, on: pad)
    }

    /// Takes the events for this element, and notes a renegotiation; forwards the rest.
    public func sourceEvent(_ event: consuming Event, on pad: Pad) -> Bool {
        if hears(event) { return true }
        if event.kind == .reconfigure { stream.requestReshape() }
        return pad.handleByDefault(event)
    }

    /// Takes the events for this element; forwards the rest.
    public func sendEvent(_ event: consuming Event) -> Bool { hears(event) ? true : host.parentSendEvent(event) }

    /// Whether `event` was one for this element.
    private func hears(_ event: borrowing Event) -> Bool {
        guard event.raw.pointee.type == GST_EVENT_CUSTOM_UPSTREAM, let structure = gst_event_get_structure(event.raw)
        else { return false }
        return heard(CustomEvent(structure))
    }

    /// Answers upstream, which asks what it may send: anything, but what is wished for first.
    private func answerUpstream(_ query: Query, on pad: Pad) -> Bool {
        guard pad.answerByDefault(query) else { return false }
        var (answer, filter): (UnsafeMutablePointer<GstCaps>?, UnsafeMutablePointer<GstCaps>?)
        gst_query_parse_caps_result(query.raw, &answer)
        gst_query_parse_caps(query.raw, &filter)
        guard let answer, gst_caps_is_empty(answer) == 0, gst_caps_is_any(answer) == 0 else { return true }
        guard let caps = wish()?.makeCaps() else { return true }
        defer { gst_caps_unref(caps) }
        guard var best = gst_caps_intersect_full(answer, caps, GST_CAPS_INTERSECT_FIRST) else { return true }
        defer { gst_caps_unref(best) }
        guard gst_caps_is_empty(best) == 0 else { return true }
        // Who says what it can do is held to it; who does not hears the rest as well.
        if filter == nil { best = gst_caps_merge(best, gst_caps_ref(answer)) }
        gst_query_set_caps_result(query.raw, best)
        return true
    }

    /// Throws when there is no scaler; to be called in `start`.
    public func requireScaler(of scalers: [String]) throws(ElementError) {
        guard stream.scaler == nil, let wanted = scalers.first else { return }
        // What applications that install missing plugins listen for; see gst_missing_element_message_new.
        host.post(
            Structure(
                "missing-plugin",
                [
                    "type": .string("element"), "detail": .string(wanted),
                    "name": .string("GStreamer element \(wanted)"),
                ]))
        throw .core(
            .missingPlugin, "The element \"\(wanted)\" is missing, and \(Self.factoryName) cannot do without it.",
            debug: "Install GStreamer's base plugins: on Debian, gstreamer1.0-plugins-base.")
    }
}

/// The pads around the scaler; they live as long as the bin does.
private func inside(
    _ element: UnsafeMutablePointer<GstElement>, _ sink: UnsafeMutablePointer<GstPad>,
    _ source: UnsafeMutablePointer<GstPad>
) -> ShapedStream.Scaler? {
    func internalPad(_ pad: UnsafeMutablePointer<GstPad>) -> UnsafeMutablePointer<GstPad>? {
        guard
            let proxy = gst_proxy_pad_get_internal(
                UnsafeMutableRawPointer(pad).assumingMemoryBound(to: GstProxyPad.self))
        else { return nil }
        gst_object_unref(proxy)
        return UnsafeMutableRawPointer(proxy).assumingMemoryBound(to: GstPad.self)
    }
    func staticPad(_ name: String) -> UnsafeMutablePointer<GstPad>? {
        guard let pad = gst_element_get_static_pad(element, name) else { return nil }
        gst_object_unref(pad)
        return pad
    }
    guard let entrance = internalPad(sink), let exit = internalPad(source), let first = staticPad("sink"),
        let last = staticPad("src")
    else { return nil }
    return ShapedStream.Scaler(element: element, sink: first, source: last, entrance: entrance, exit: exit)
}

/// The pad behind the scaler belongs to the bin's source pad, and that to the bin.
private func connectExit(_ pad: UnsafeMutablePointer<GstPad>) {
    gst_pad_set_query_function_full(
        pad,
        { pad, ghost, query in
            if let query, query.pointee.type == GST_QUERY_CAPS, let ghost, let bin = gst_object_get_parent(ghost) {
                defer { gst_object_unref(bin) }
                let shaped = InstanceSlot.peek(bin)?.concurrent as? any ShapedBin
                if shaped?.stream.answerScaler(query) == true { return 1 }
            }
            return gst_pad_query_default(pad, ghost, query)
        }, nil, nil)
}
