import AdaptivePool
import BackpressureQueue
import CSystem
import GStreamer
import NTSCFilter
import PerformanceMonitor
import TapeAudio
import ThermalCaps
import Tracing

/// Registers all elements of the plugin; add new elements here.
public func registerElements(in plugin: Plugin) -> Bool {
    _ = SpanSender.installed
    return registerNTSCFilter(in: plugin) && registerBackpressureQueue(in: plugin) && registerAdaptivePool(in: plugin)
        && registerThermalCaps(in: plugin) && registerPerformanceMonitor(in: plugin) && registerTapeAudio(in: plugin)
}

private let plugin = PluginDefinition(
    "swiftvideo", description: "Video elements written in Swift", version: SWIFTVIDEO_VERSION,
    package: "gst-plugins-swift", register: registerElements)

/// Description of the plugin; GStreamer calls this function when it loads `libgstswiftvideo.so`.
@_cdecl("gst_plugin_swiftvideo_get_desc")
public func gst_plugin_swiftvideo_get_desc() -> UnsafeRawPointer { unsafe plugin.descriptor }

/// Registers the plugin in a program that contains it.
@_cdecl("gst_plugin_swiftvideo_register")
public func gst_plugin_swiftvideo_register() { plugin.registerStatically() }

/// Sends spans and instants of the elements to the tracers of GStreamer, which supports spans since 1.30.
///
/// They are sent only while a tracer of another plugin exists, which is determined at each start of an element.
private enum SpanSender {
    private static let formats = SpanHook.Table()

    /// Installs the hook once, if GStreamer supports spans.
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

    /// Format of a name, registered at its first use; nil if there are too many names.
    private static func format(_ name: UnsafePointer<CChar>?, _ note: SpanHook.Note, span: Bool) -> TraceFormat? {
        guard let name = unsafe name else { return nil }
        // An address has at most 56 bits, so the shift loses none. A name may be used with different notes.
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
