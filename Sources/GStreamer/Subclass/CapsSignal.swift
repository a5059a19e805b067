import CGStreamer
import Synchronization

/// A GObject signal with which an element asks the application for caps.
///
/// Handlers get a text and the caps the element would choose, and return caps, or NULL to leave it to the next; the
/// first that returns caps decides. Make one for each as a `static let` of the element. The corresponding C function is
/// `g_signal_newv`.
public final class CapsSignal: Sendable {
    let name: String
    private let id = Atomic<UInt32>(0)

    public init(_ name: String) { self.name = name }

    /// Called once, from the C class's `class_init`.
    func install(on type: GType) {
        var types: [GType] = [cgst_type_string(), gst_caps_get_type()]
        id.store(
            g_signal_newv(
                name, type, G_SIGNAL_RUN_LAST, nil,
                { _, total, returned, _ in
                    guard let returned, g_value_get_boxed(returned) != nil else { return 1 }
                    g_value_copy(returned, total)
                    return 0
                }, nil, nil, gst_caps_get_type(), guint(types.count), &types),
            ordering: .relaxed)
    }

    /// Asks on this thread; handlers may do anything, so hold no lock.
    ///
    /// Nil when nobody decides. The caps are written as text, as `gst-launch-1.0` has them.
    public func ask(_ host: ElementHost, _ word: String, caps: String) -> String? {
        let id = id.load(ordering: .relaxed)
        guard g_signal_has_handler_pending(host.raw, id, 0, 0) != 0, let offered = gst_caps_from_string(caps) else {
            return nil
        }
        defer { gst_caps_unref(offered) }
        guard let chosen = cgst_signal_ask_caps(host.raw, id, word, offered) else { return nil }
        defer { gst_caps_unref(chosen) }
        guard let text = gst_caps_to_string(chosen) else { return nil }
        defer { g_free(text) }
        return String(cString: text)
    }
}
