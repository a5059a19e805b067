import CGStreamer
import CTraceStandIn
import Glibc
import SwiftVideoPlugin

/// Plays a launch line with the elements of the plugin and with a stand-in for the span API of GStreamer 1.30, which
/// prints what it receives.
///
///     SpanProbe <launch line>
///
/// GST_TRACERS decides whether a tracer exists. The elements are those of a plugin in GST_PLUGIN_PATH, if there is one.
@main
struct SpanProbe {
    static func main() {
        trace_stand_in_link()
        gst_init(nil, nil)
        let factory = gst_element_factory_find("ntscfilter")
        guard CommandLine.arguments.count == 2, factory != nil || registerElements(in: .none),
            let pipeline = gst_parse_launch(CommandLine.arguments[1], nil)
        else { fatalError("SpanProbe <launch line>") }
        if let factory { gst_object_unref(UnsafeMutableRawPointer(factory)) }
        gst_object_ref_sink(pipeline)
        gst_element_set_state(pipeline, GST_STATE_PLAYING)
        let bus = gst_element_get_bus(pipeline)
        let types = GstMessageType(rawValue: GST_MESSAGE_EOS.rawValue | GST_MESSAGE_ERROR.rawValue)
        if let message = gst_bus_timed_pop_filtered(bus, 60_000_000_000, types) {
            print("message \(message.pointee.type == GST_MESSAGE_EOS ? "eos" : "error")")
            gst_mini_object_unref(UnsafeMutableRawPointer(message).assumingMemoryBound(to: GstMiniObject.self))
        }
        gst_element_set_state(pipeline, GST_STATE_NULL)
        gst_object_unref(bus)
        gst_object_unref(pipeline)
    }
}
