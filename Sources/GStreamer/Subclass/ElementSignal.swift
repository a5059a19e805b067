import CGStreamer
import Synchronization

/// A GObject signal without arguments that an element emits.
///
/// Make one for each as a `static let` of the element. The corresponding C function is `g_signal_newv`.
public final class ElementSignal: Sendable {
    let name: String
    private let id = Atomic<UInt32>(0)

    public init(_ name: String) { self.name = name }

    /// Called once, from the C class's `class_init`.
    func install(on type: GType) {
        id.store(
            g_signal_newv(name, type, G_SIGNAL_RUN_FIRST, nil, nil, nil, nil, cgst_type_none(), 0, nil),
            ordering: .relaxed)
    }

    func emit(from instance: UnsafeMutableRawPointer) { cgst_signal_emit(instance, id.load(ordering: .relaxed)) }
}
