import CGStreamer
public import GStreamer

extension ElementHost {
    /// Number of sinks in the outermost bin around the element; a bin with sinks counts as one.
    public var sinkCount: Int { outermostBin?.sinks().count ?? 0 }
}

extension Interface {
    /// The interface of elements with a volume that applications and `playbin` control.
    ///
    /// The class declares the properties `volume`, a `double` from 0 to 10 with the default 1, and `mute`, a `bool`.
    /// The corresponding C interface is `GstStreamVolume`.
    public static var streamVolume: Interface { .properties(type: gst_stream_volume_get_type) }
}
