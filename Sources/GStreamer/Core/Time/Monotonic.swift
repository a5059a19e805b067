import CGStreamer

/// The clock that never jumps, in nanoseconds.
///
/// The corresponding C function is `gst_util_get_timestamp`.
public enum Monotonic {
    /// Nanoseconds since an unspecified moment.
    public static var now: UInt64 { UInt64(gst_util_get_timestamp()) }
}
