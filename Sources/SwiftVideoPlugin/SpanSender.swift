import GStreamer
import Tracing

/// Sends the marks of the elements to the tracers of GStreamer, which has spans since 1.30.
///
/// They are sent while a tracer of another plugin exists; that is examined when an element starts.
enum SpanSender {
    private static let formats = SpanTable()

    /// Installs the hook, if GStreamer has spans; once.
    static let installed: Void = {
        guard TraceFormat.isAvailable else { return }
        unsafe SpanHook.install(
            begin: { name, time in unsafe SpanSender.format(name, .none, span: true)?.begin(runningTime: time) ?? 0 },
            end: { TraceFormat.end($0) },
            event: { name, time, note, value in
                let note = SpanHook.Note(rawValue: note) ?? .none
                unsafe SpanSender.format(name, note, span: false)?.mark(runningTime: time, detail: value)
            })
        ElementStart.observe { SpanHook.setActive(TraceFormat.hasReceiver) }
    }()

    /// The format of a name, registered when the name is first marked; nil if there are too many names.
    private static func format(_ name: UnsafePointer<CChar>?, _ note: SpanHook.Note, span: Bool) -> TraceFormat? {
        guard let name = unsafe name else { return nil }
        // Addresses are below bit 56. A name may be marked with different notes.
        let key = (UInt64(UInt(bitPattern: name)) << 3) | (span ? 4 : 0) | UInt64(note.rawValue)
        let address = formats.value(for: key) {
            let detail: TraceFormat.Detail =
                switch note {
                case .none: .none
                case .number: .number
                case .reason: .reason
                }
            return unsafe TraceFormat(name, detail)?.address ?? 0
        }
        return address == 0 ? nil : TraceFormat(unsafe: address)
    }
}
