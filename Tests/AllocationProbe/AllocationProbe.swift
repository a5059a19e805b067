import CAllocationCount
import CGStreamer
import CGStreamerCheck
import CPluginEntry
import SwiftVideoPlugin

/// Prints how often memory is asked for while one writable frame goes round through the element, again and again:
/// how often in 200 rounds, and how often in 2,000.
///
///     AllocationProbe <n-threads> <caps> [<preset-file>]
@main
struct AllocationProbe {
    private let harness: UnsafeMutablePointer<GstHarness>
    private var frame: UnsafeMutablePointer<GstBuffer>
    private var number: UInt64 = 0

    static func main() {
        gst_init(nil, nil)
        guard CommandLine.arguments.count >= 3, swiftvideo_plugin_init(nil) != 0 else {
            fatalError("AllocationProbe <n-threads> <caps> [<preset-file>]")
        }
        var probe = AllocationProbe(threads: CommandLine.arguments[1], caps: CommandLine.arguments[2])
        if CommandLine.arguments.count > 3 { probe.set("preset-file", CommandLine.arguments[3]) }
        // The first frames make what is made once: threads, their memory, GLib's caches. A thread's own is made when
        // it first finds work, which may take a while.
        for _ in 0..<10 where probe.allocations(200) > 0 {}
        print(probe.allocations(200), probe.allocations(2000))
    }

    private init(threads: String, caps: String) {
        harness = gst_harness_new("ntscfilter")
        gst_harness_set_src_caps_str(harness, caps)
        var info = GstVideoInfo()
        gst_video_info_from_caps(&info, gst_caps_from_string(caps))
        frame = gst_buffer_new_allocate(nil, info.size, nil)!
        gst_buffer_memset(frame, 0, 99, info.size)
        set("n-threads", threads)
    }

    private func set(_ property: String, _ text: String) {
        gst_util_set_object_arg(
            UnsafeMutableRawPointer(harness.pointee.element).assumingMemoryBound(to: GObject.self), property, text)
    }

    /// How often memory is asked for while `count` frames go through.
    private mutating func allocations(_ count: Int) -> UInt {
        let before = allocation_count()
        for _ in 0..<count {
            frame.pointee.pts = GstClockTime(number * 33_333_333)
            number += 1
            guard gst_harness_push(harness, frame) == GST_FLOW_OK, let output = gst_harness_try_pull(harness) else {
                fatalError("a frame was lost")
            }
            frame = output
        }
        return allocation_count() - before
    }
}
