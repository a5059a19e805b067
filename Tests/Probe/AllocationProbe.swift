import CAllocationCount
import CGStreamer
import CGStreamerCheck
import GStreamer
import SwiftVideoPlugin

/// Prints the number of allocations while 200 buffers of a pool pass an element, and while 2,000 buffers pass.
///
/// Allocations of GLib and GStreamer that depend only on the number of buffers are not counted: for each buffer that
/// arrives, a node of the harness's list, and each meta on it that is not of a pool. GLib 2.76 and newer allocates
/// memory for both; older versions reuse it. Then prints the domain, the code and the text of each warning on the bus.
///
///     Probe element <launch line of the element> <caps of video, or of sound with 48 kHz>
struct AllocationProbe {
    /// Not a `Harness`, which allocates memory for each buffer.
    private let harness: UnsafeMutablePointer<GstHarness>
    private let pool: UnsafeMutablePointer<GstBufferPool>
    private let bus: UnsafeMutablePointer<GstBus>
    private var number: UInt64 = 0
    private let nodeCost = Self.cost { g_list_free(g_list_append(nil, nil)) }
    private let metaCost: Int

    static func run(_ launchLine: String, caps: String) {
        gst_init(nil, nil)
        guard registerElements(in: .none) else { fatalError("the elements cannot be registered") }
        var probe = AllocationProbe(launchLine, caps: caps)
        // The first buffers cause allocations for threads and GLib's caches that are not repeated. A thread may receive
        // its first work late, so the probe waits for three successive periods of 100 ms without an allocation.
        var quiet = 0
        for _ in 0..<100 where quiet < 3 { quiet = probe.allocations(milliseconds: 100) == 0 ? quiet + 1 : 0 }
        print(probe.allocations(200), probe.allocations(2000))
        probe.printWarnings()
    }

    private init(_ launchLine: String, caps: String) {
        let buffer = gst_buffer_new()
        metaCost = Self.cost {
            let meta = gst_buffer_add_video_meta(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, 1, 1)
            gst_buffer_remove_meta(buffer, UnsafeMutableRawPointer(meta)?.assumingMemoryBound(to: GstMeta.self))
        }
        gst_buffer_unref(buffer)
        harness = gst_harness_new_parse(launchLine)
        bus = gst_bus_new()
        gst_element_set_bus(harness.pointee.element, bus)
        gst_harness_set_src_caps_str(harness, caps)
        var info = GstVideoInfo()
        let parsed = gst_caps_from_string(caps)
        gst_video_info_from_caps(&info, parsed)
        pool = Self.pool(offeredBy: harness, for: parsed) ?? gst_buffer_pool_new()
        let config = gst_buffer_pool_get_config(pool)
        gst_buffer_pool_config_set_params(
            config, parsed, info.size > 0 ? guint(info.size) : Self.soundSize(parsed), 4, 0)
        gst_buffer_pool_set_config(pool, config)
        gst_buffer_pool_set_active(pool, 1)
        gst_caps_unref(parsed)
    }

    /// Allocations of `body` after its first calls, which may fill caches.
    private static func cost(_ body: () -> Void) -> Int {
        for _ in 0..<100 { body() }
        let before = allocation_count()
        body()
        return Int(allocation_count() - before)
    }

    private func printWarnings() {
        while let message = gst_bus_pop_filtered(bus, GST_MESSAGE_WARNING) {
            var error: UnsafeMutablePointer<GError>?
            gst_message_parse_warning(message, &error, nil)
            if let error {
                let domain = String(cString: g_quark_to_string(error.pointee.domain))
                print("warning \(domain) \(error.pointee.code): \(String(cString: error.pointee.message))")
                g_error_free(error)
            }
            gst_message_unref(message)
        }
    }

    /// Bytes of 1,600 frames, whose duration at 48 kHz is the distance of the timestamps.
    private static func soundSize(_ caps: UnsafeMutablePointer<GstCaps>?) -> guint {
        let structure = gst_caps_get_structure(caps, 0)
        var channels: gint = 0
        gst_structure_get_int(structure, "channels", &channels)
        let format = gst_structure_get_string(structure, "format").map { String(cString: $0) }
        return guint(1_600 * Int(channels) * (format == "S16LE" ? 2 : 4))
    }

    /// The pool that the element offers in the answer to an ALLOCATION query; nil if it offers no pool.
    private static func pool(
        offeredBy harness: UnsafeMutablePointer<GstHarness>, for caps: UnsafeMutablePointer<GstCaps>?
    ) -> UnsafeMutablePointer<GstBufferPool>? {
        let query = gst_query_new_allocation(caps, 1)
        defer { gst_query_unref(query) }
        guard gst_pad_peer_query(harness.pointee.srcpad, query) != 0, gst_query_get_n_allocation_pools(query) > 0
        else { return nil }
        var pool: UnsafeMutablePointer<GstBufferPool>?
        gst_query_parse_nth_allocation_pool(query, 0, &pool, nil, nil, nil)
        return pool
    }

    /// Number of allocations while buffers pass for at least `milliseconds`.
    private mutating func allocations(milliseconds: gint64) -> Int {
        let end = g_get_monotonic_time() + (milliseconds * 1000)
        var count = 0
        repeat { count += allocations(20) } while g_get_monotonic_time() < end
        return count
    }

    /// Number of allocations while `count` buffers pass successively.
    private mutating func allocations(_ count: Int) -> Int {
        let before = allocation_count()
        var ofGLib = 0
        for _ in 0..<count {
            var buffer: UnsafeMutablePointer<GstBuffer>?
            guard gst_buffer_pool_acquire_buffer(pool, &buffer, nil) == GST_FLOW_OK, let buffer else {
                fatalError("the pool is empty")
            }
            buffer.pointee.pts = GstClockTime(number * 33_333_333)
            number += 1
            guard gst_harness_push(harness, buffer) == GST_FLOW_OK, let output = gst_harness_pull(harness) else {
                fatalError("a buffer was lost")
            }
            ofGLib += release(output)
            // After a discontinuity, an element may push more than one buffer.
            while let output = gst_harness_try_pull(harness) { ofGLib += release(output) }
        }
        return Int(allocation_count() - before) - ofGLib
    }

    /// Releases a buffer; returns the allocations of GLib and GStreamer for it.
    private func release(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Int {
        var (state, metas) = (gpointer?.none, 0)
        while let meta = gst_buffer_iterate_meta(buffer, &state) {
            if meta.pointee.flags.rawValue & GST_META_FLAG_POOLED.rawValue == 0 { metas += 1 }
        }
        gst_buffer_unref(buffer)
        return nodeCost + (metas * metaCost)
    }
}
