import CGStreamer

/// What a stream carries, once agreed.
///
/// The corresponding C type is `GstCaps`.
public final class StreamCaps: @unchecked Sendable {  // Its reference is shared, so nobody may write to the caps.
    let raw: UnsafeMutablePointer<GstCaps>
    let picture: GstVideoInfo?

    init(_ raw: UnsafeMutablePointer<GstCaps>) {
        self.raw = gst_caps_ref(raw)
        picture = Self.isInPlainMemory(raw) ? Self.rawVideo(raw) : nil
    }

    /// Nil when the caps are not those of raw video.
    private static func rawVideo(_ caps: UnsafeMutablePointer<GstCaps>) -> GstVideoInfo? {
        guard gst_caps_is_fixed(caps) != 0, let first = gst_caps_get_structure(caps, 0),
            gst_structure_has_name(first, "video/x-raw") != 0
        else { return nil }
        var info = GstVideoInfo()
        return gst_video_info_from_caps(&info, caps) != 0 ? info : nil
    }

    /// Features name the memory, when it is not plain, and what else there is, such as metas or interlacing.
    private static func isInPlainMemory(_ caps: UnsafeMutablePointer<GstCaps>) -> Bool {
        guard gst_caps_get_size(caps) > 0, let features = gst_caps_get_features(caps, 0) else { return true }
        guard gst_caps_features_is_any(features) == 0 else { return false }
        return (0..<gst_caps_features_get_size(features)).allSatisfy { index in
            guard let name = gst_caps_features_get_nth(features, index).map({ String(cString: $0) }) else {
                return false
            }
            return !name.hasPrefix("memory:") || name == "memory:SystemMemory"
        }
    }

    deinit { gst_caps_unref(raw) }

    /// The media type and the features, such as `video/x-raw(memory:DMABuf)`.
    public var name: String {
        guard gst_caps_get_size(raw) > 0, let structure = gst_caps_get_structure(raw, 0),
            let type = gst_structure_get_name(structure)
        else { return "no caps" }
        guard let features = gst_caps_get_features(raw, 0),
            gst_caps_features_is_equal(features, cgst_system_memory_features()) == 0,
            let text = gst_caps_features_to_string(features)
        else { return String(cString: type) }
        defer { g_free(text) }
        return "\(String(cString: type))(\(String(cString: text)))"
    }

    /// Whether it is raw video in plain memory.
    public var isRawVideo: Bool { picture != nil }
    /// The bytes of one frame without padding; 0 when it is not raw video.
    public var bytesInFrame: Int { picture.map { Int($0.size) } ?? 0 }
}
