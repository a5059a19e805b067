import CGStreamer

/// What a stream carries, once agreed.
///
/// The corresponding C type is `GstCaps`.
public final class StreamCaps: @unchecked Sendable {  // Its reference is shared, so nobody may write to the caps.
    let raw: UnsafeMutablePointer<GstCaps>
    let picture: GstVideoInfo?

    init(_ raw: UnsafeMutablePointer<GstCaps>) {
        self.raw = gst_caps_ref(raw)
        let features = gst_caps_get_size(raw) > 0 ? gst_caps_get_features(raw, 0) : nil
        let isPlain = features.map { gst_caps_features_is_equal($0, cgst_system_memory_features()) != 0 } ?? true
        picture = isPlain ? PoolRecipe.picture(raw) : nil
    }

    deinit { gst_caps_unref(raw) }

    /// Whether it is raw video in plain memory.
    public var isRawVideo: Bool { picture != nil }
    /// The bytes of one frame without padding; 0 when it is not raw video.
    public var bytesInFrame: Int { picture.map { Int($0.size) } ?? 0 }
}
