import CGStreamer
import GStreamer
import Glibc
import SwiftVideoPlugin

/// Prints throughput and processor time per buffer of `backpressurequeue` and of `queue`.
///
///     swift run -c release Benchmarks queue
///
/// The elements run in turn, with the sizes of `queue` or with the automatic sizes of a live source. The pool upstream
/// has fewer buffers than any size admits, so no frame is dropped. Compare ratios within one run, because machines
/// differ and are shared.
enum QueueBenchmark {
    static func run() {
        gst_init(nil, nil)
        // With a nil plugin the elements are registered for this process.
        guard registerElements(in: .none) else { give(up: "The elements of the plugin cannot be registered.") }
        let subjects: [(String, [(String, String)])] = [
            ("queue", []), ("backpressurequeue", [("enabled", "false")]),
            ("backpressurequeue", [("max-in-flight", "8")]),
            ("backpressurequeue", [("leaky", "downstream"), ("max-size-buffers", "0")]),
        ]
        for (bytes, count) in [(64, 500_000), (1920 * 1080 * 3 / 2, 200_000)] {
            print("\n\(bytes) bytes: thousand buffers per second, and processor time per buffer in ns; best of 5")
            for (factory, settings) in subjects {
                let runs = (0..<5).map { _ in run(factory, settings, bytes: bytes, count: count) }
                let name = ([factory] + settings.map { "\($0.0)=\($0.1)" }).joined(separator: " ")
                print("  \(Int((runs.map(\.0).max() ?? 0) / 1000)), \(Int(runs.map(\.1).min() ?? 0))  \(name)")
            }
        }
    }

    private static func give(up reason: String) -> Never {
        let sentence = "\(reason) Nothing is measured.\n"
        write(STDERR_FILENO, sentence, sentence.utf8.count)
        exit(1)
    }

    private static func run(
        _ factory: String, _ settings: [(String, String)], bytes: Int, count: Int
    ) -> (perSecond: Double, nanoseconds: Double) {
        guard let element = gst_element_factory_make(factory, nil) else { give(up: "There is no element \(factory).") }
        gst_object_ref_sink(element)
        let sizes = [("max-size-buffers", "200"), ("max-size-bytes", "0"), ("max-size-time", "0"), ("leaky", "no")]
        for (name, value) in sizes + settings { gst_util_set_object_arg(cast(element), name, value) }
        let (source, sink) = (gst_pad_new("source", GST_PAD_SRC)!, gst_pad_new("sink", GST_PAD_SINK)!)
        let chain: GstPadChainFunction = { _, _, buffer in
            gst_buffer_unref(buffer)
            return GST_FLOW_OK
        }
        gst_pad_set_chain_function_full(sink, chain, nil, nil)
        link(source, "sink", of: element)
        link(sink, "src", of: element)
        gst_element_set_state(element, GST_STATE_PLAYING)
        begin(source)
        let pool = makePool(bytes)
        let (wall, busy) = (g_get_monotonic_time(), clock())
        for _ in 0..<count {
            var buffer: UnsafeMutablePointer<GstBuffer>?
            gst_buffer_pool_acquire_buffer(pool, &buffer, nil)
            gst_pad_push(source, buffer)
        }
        let query = gst_query_new_drain()
        gst_pad_peer_query(source, query)
        gst_query_unref(query)
        let (wallTime, busyTime) = (g_get_monotonic_time() - wall, clock() - busy)
        if factory == "backpressurequeue", dropped(element) > 0 { give(up: "Frames were dropped, not passed.") }
        gst_element_set_state(element, GST_STATE_NULL)
        gst_object_unref(source)
        gst_object_unref(sink)
        gst_object_unref(element)
        gst_buffer_pool_set_active(pool, 0)
        gst_object_unref(pool)
        return (Double(count) * 1e6 / Double(wallTime), Double(busyTime) * 1000 / Double(count))
    }

    private static func dropped(_ element: UnsafeMutablePointer<GstElement>) -> UInt64 {
        var value = GValue()
        defer { g_value_unset(&value) }
        g_object_get_property(cast(element), "dropped", &value)
        return UInt64(g_value_get_uint64(&value))
    }

    private static func cast(_ element: UnsafeMutablePointer<GstElement>) -> UnsafeMutablePointer<GObject> {
        UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self)
    }

    private static func link(
        _ pad: UnsafeMutablePointer<GstPad>, _ name: String, of element: UnsafeMutablePointer<GstElement>
    ) {
        gst_pad_set_active(pad, 1)
        let own = gst_element_get_static_pad(element, name)!
        if name == "sink" { gst_pad_link(pad, own) } else { gst_pad_link(own, pad) }
        gst_object_unref(own)
    }

    private static func begin(_ source: UnsafeMutablePointer<GstPad>) {
        gst_pad_push_event(source, gst_event_new_stream_start("benchmark"))
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        gst_pad_push_event(source, gst_event_new_segment(&segment))
    }

    private static func makePool(_ bytes: Int) -> UnsafeMutablePointer<GstBufferPool> {
        let pool = gst_buffer_pool_new()!
        let config = gst_buffer_pool_get_config(pool)
        gst_buffer_pool_config_set_params(config, nil, guint(bytes), 0, 16)
        gst_buffer_pool_set_config(pool, config)
        gst_buffer_pool_set_active(pool, 1)
        return pool
    }
}
