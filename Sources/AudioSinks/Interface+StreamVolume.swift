import CStreamVolume
public import GStreamer

extension Interface {
    /// The interface of elements with a volume that applications and `playbin` control.
    ///
    /// The class declares the properties `volume`, a `double` from 0 to 10 with the default 1, and `mute`, a `bool`.
    /// `CStreamVolume` is a separate module, because it links libgstaudio. The corresponding C interface is
    /// `GstStreamVolume`.
    public static var streamVolume: Interface { .properties(type: gst_stream_volume_get_type) }
}
