import CGStreamer

/// Describes a pad that an element has or can have, and its supported caps.
///
/// Caps are in the syntax of `gst-launch-1.0`, with structures, lists, ranges and caps features. With caps that are not
/// valid, the bridge logs an error and the class has no such template. The corresponding C type is `GstPadTemplate`.
public struct PadTemplate: Sendable {
    /// Lifetime of the pad.
    ///
    /// The corresponding C type is `GstPadPresence`.
    public enum Presence: Sendable {
        /// The pad exists as long as the element.
        case always
        /// The element adds the pad with `ElementHost.addPad`, and may remove the pad.
        case sometimes
        /// The application requests and releases the pad; see `ConcurrentElement.requestPad`.
        case request
    }

    /// The name, such as `sink` or `src_%u`.
    public let name: String
    /// Lifetime of the pad.
    public let presence: Presence
    /// Whether buffers enter through the pad.
    public let isSink: Bool
    let caps: String

    /// A template of a sink pad.
    public static func sink(_ caps: String, name: String = "sink", _ presence: Presence = .always) -> Self {
        Self(name: name, presence: presence, isSink: true, caps: caps)
    }

    /// A template of a source pad.
    public static func source(_ caps: String, name: String = "src", _ presence: Presence = .always) -> Self {
        Self(name: name, presence: presence, isSink: false, caps: caps)
    }

    private init(name: String, presence: Presence, isSink: Bool, caps: String) {
        (self.name, self.presence, self.isSink, self.caps) = (name, presence, isSink, caps)
    }

    init(_ raw: UnsafeMutablePointer<GstPadTemplate>) {
        name = String(cString: raw.pointee.name_template)
        isSink = raw.pointee.direction == GST_PAD_SINK
        switch raw.pointee.presence {
        case GST_PAD_SOMETIMES: presence = .sometimes
        case GST_PAD_REQUEST: presence = .request
        default: presence = .always
        }
        let text = gst_caps_to_string(raw.pointee.caps)
        defer { g_free(text) }
        caps = text.map { String(cString: $0) } ?? "NONE"
    }

    /// Adds the template to a class.
    ///
    /// `padType` is the class of its pads, nil for `GstPad`; `limit` has all caps that they may have.
    func install(
        on elementClass: UnsafeMutablePointer<GstElementClass>, padType: GType? = nil, within limit: Caps? = nil
    ) {
        guard let parsed = Caps(caps) else {
            return bridgeLog.error(nil, "pad template \(name): the caps are not valid: \(caps)")
        }
        let direction = isSink ? GST_PAD_SINK : GST_PAD_SRC
        (limit.map { parsed.intersection($0) } ?? parsed).withUnsafePointer { caps in
            let template =
                padType.map { gst_pad_template_new_with_gtype(name, direction, presence.raw, caps, $0) }
                ?? gst_pad_template_new(name, direction, presence.raw, caps)
            gst_element_class_add_pad_template(elementClass, template)
        }
    }
}

extension PadTemplate.Presence {
    fileprivate var raw: GstPadPresence {
        switch self {
        case .always: GST_PAD_ALWAYS
        case .sometimes: GST_PAD_SOMETIMES
        case .request: GST_PAD_REQUEST
        }
    }
}
