import CGStreamer

/// An element that changes audio in place, possibly with a delay.
///
/// The base class is `GstBaseTransform`, which provides all methods of `GstAudioFilter` but the format. So a plugin with
/// an audio filter does not link the library of that class. The corresponding C class is `GstAudioFilter`.
public protocol AudioFilter: BaseTransform, ~Copyable {
    /// Called when the format of the stream is negotiated, and again when it changes. Allocate memory here.
    ///
    /// Called on the streaming thread. If the method throws, the format is refused. The corresponding C method is
    /// `setup`.
    mutating func configure(_ format: AudioInfo, _ settings: Settings) throws(FlowResult)

    /// Time by which the output is later than the input; it is added to the answer of LATENCY queries.
    ///
    /// Called on any thread. After a change, call `ElementHost.postLatencyChanged`.
    static func latency(_ report: Settings.Report) -> Duration
}

extension AudioFilter where Self: ~Copyable {
    /// The default is zero.
    public static func latency(_ report: Settings.Report) -> Duration { .zero }
}

/// Registers `E` as a subclass of `GstBaseTransform`.
///
/// The same element may be registered again. Returns false if another plugin has registered its type name. The
/// corresponding C function is `gst_element_register`.
public func register<E: AudioFilter & ~Copyable>(_: E.Type, in plugin: Plugin) -> Bool {
    registerElement(
        E.self, in: plugin, below: gst_base_transform_get_type(), initClass: setAudioFilterMethods,
        makeInstance: { AudioFilterInstance<E>($0, $1, $2) })
}

private func setAudioFilterMethods(_ gClass: UnsafeMutableRawPointer) {
    setBaseTransformMethods(gClass, passthroughOnSameCaps: false)
    let filter = gClass.assumingMemoryBound(to: GstBaseTransformClass.self)
    filter.pointee.query = { filter, direction, query in
        let isAnswered = parentClass(of: filter)?.pointee.query?(filter, direction, query) ?? 0
        if isAnswered != 0, direction == GST_PAD_SRC, let query, query.pointee.type == GST_QUERY_LATENCY {
            lend(filter) { $0.addLatency(to: Query(lending: query)) }
        }
        return isAnswered
    }
}

/// The Swift object of an audio filter.
private final class AudioFilterInstance<E: AudioFilter & ~Copyable>: BaseTransformInstance<E> {
    override func setCaps(_ caps: Caps) -> Bool {
        succeeds { () throws(FlowResult) in
            guard let format = AudioInfo(caps) else { throw .notNegotiated }
            try element.configure(format, store.settings)
        }
    }

    override func addLatency(to query: borrowing Query) {
        guard let (isLive, minimum, maximum) = query.latency else { return }
        let own = E.latency(store.report)
        query.latency = (isLive, minimum + own, maximum.map { $0 + own })
    }
}
