public import CGStreamer

/// The formats of a stream or of a pad.
///
/// Caps are immutable values, and copies share one reference. Any thread may use them. The corresponding C type is
/// `GstCaps`.
public struct Caps: Sendable, Equatable, CustomStringConvertible {
    private final class Reference: @unchecked Sendable {  // Nothing writes to the caps.
        let raw: UnsafeMutablePointer<GstCaps>
        let videoInfo: GstVideoInfo?

        init(taking raw: UnsafeMutablePointer<GstCaps>) {
            self.raw = raw
            videoInfo = Caps.isInPlainMemory(raw) ? Caps.rawVideo(raw) : nil
        }

        deinit { gst_caps_unref(raw) }
    }

    private let reference: Reference
    var raw: UnsafeMutablePointer<GstCaps> { reference.raw }
    /// The layout of raw video in system memory; nil for other caps.
    var videoInfo: GstVideoInfo? { reference.videoInfo }

    /// Takes another reference.
    init(_ raw: UnsafeMutablePointer<GstCaps>) { reference = Reference(taking: gst_caps_ref(raw)) }

    /// Takes the caller's reference.
    init(taking raw: UnsafeMutablePointer<GstCaps>) { reference = Reference(taking: raw) }

    /// Parses caps in the syntax of `gst-launch-1.0`; nil if the text is not valid.
    ///
    /// The corresponding C function is `gst_caps_from_string`.
    public init?(_ text: String) {
        guard let raw = gst_caps_from_string(text) else { return nil }
        self.init(taking: raw)
    }

    /// The text of `gst_caps_to_string`.
    public var description: String {
        guard let text = gst_caps_to_string(raw) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }

    /// The number of structures; 0 for EMPTY and for ANY.
    public var count: Int { Int(gst_caps_get_size(raw)) }
    /// Whether the caps are ANY.
    ///
    /// The corresponding C function is `gst_caps_is_any`.
    public var isAny: Bool { gst_caps_is_any(raw) != 0 }
    /// Whether the caps are EMPTY.
    ///
    /// The corresponding C function is `gst_caps_is_empty`.
    public var isEmpty: Bool { gst_caps_is_empty(raw) != 0 }
    /// Whether the caps describe exactly one format, as in a CAPS event.
    ///
    /// The corresponding C function is `gst_caps_is_fixed`.
    public var isFixed: Bool { gst_caps_is_fixed(raw) != 0 }

    /// The structure at `index`; nil if `index` is out of range.
    ///
    /// The corresponding C function is `gst_caps_get_structure`.
    public func structure(at index: Int) -> Structure? {
        guard let index = guint(exactly: index), index < gst_caps_get_size(raw) else { return nil }
        return gst_caps_get_structure(raw, index).map { Structure($0) }
    }

    /// The formats that both caps allow, in the order of `self`.
    ///
    /// The corresponding C function is `gst_caps_intersect_full`.
    public func intersection(_ other: Caps) -> Caps {
        Caps(taking: gst_caps_intersect_full(raw, other.raw, GST_CAPS_INTERSECT_FIRST))
    }

    /// Whether both caps describe the same formats.
    public static func == (one: Caps, other: Caps) -> Bool { gst_caps_is_equal(one.raw, other.raw) != 0 }

    /// Media type and caps features of the first structure, such as `video/x-raw(memory:DMABuf)`.
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

    /// Whether the caps describe raw video in system memory.
    ///
    /// The corresponding C function is `gst_video_info_from_caps`.
    public var isRawVideo: Bool { videoInfo != nil }
    /// Size of one frame in bytes, with the default padding; 0 if the caps are not raw video in system memory.
    ///
    /// The corresponding C macro is `GST_VIDEO_INFO_SIZE`.
    public var bytesInFrame: Int { videoInfo.map { Int($0.size) } ?? 0 }

    /// Copies a frame of these caps with its times, flags and metas, except metas that depend on its memory.
    ///
    /// Returns false if a buffer is too small, or if the caps are not raw video in system memory. The corresponding C
    /// function is `gst_video_frame_copy`.
    public func copyFrame(_ frame: borrowing Buffer, to copy: borrowing Buffer) -> Bool {
        guard var info = videoInfo else { return false }
        return cgst_picture_copy(copy.raw, frame.raw, &info) != 0
    }

    /// Calls `body` with the C caps, which are valid during the call and must not be modified.
    public func withUnsafePointer<R>(_ body: (UnsafeMutablePointer<GstCaps>) throws -> R) rethrows -> R {
        try body(raw)
    }

    /// The layout of raw video; nil for other caps.
    private static func rawVideo(_ caps: UnsafeMutablePointer<GstCaps>) -> GstVideoInfo? {
        guard gst_caps_is_fixed(caps) != 0, let first = gst_caps_get_structure(caps, 0),
            gst_structure_has_name(first, "video/x-raw") != 0,
            // GStreamer logs an error if one of these fields is missing.
            gst_structure_has_field(first, "format") != 0, gst_structure_has_field(first, "width") != 0,
            gst_structure_has_field(first, "height") != 0
        else { return nil }
        var info = GstVideoInfo()
        return gst_video_info_from_caps(&info, caps) != 0 ? info : nil
    }

    /// Whether the caps have no memory feature except system memory; features of metas or interlacing may be present.
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
}
