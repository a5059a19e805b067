import CGStreamer
import CGStreamerCheck
import FrameTracking
import GStreamer
import Threads

/// Plays frames with its own tokens through the `backpressurequeue` of a plugin that contains the same sources.
///
///     Probe tracking <plugin file>
///
/// The program and the plugin each attach a token to every frame. The probe prints the frames in flight for the program
/// and for the plugin after 100 frames, while copies of three frames exist, and after the release of the copies.
struct FrameTrackingProbe {
    static func run(_ plugin: String) {
        gst_init(nil, nil)
        guard gst_plugin_load_file(plugin, nil) != nil,
            let harness = gst_harness_new_parse("backpressurequeue name=q leaky=no max-in-flight=4")
        else { fatalError("\(plugin) cannot be loaded") }
        gst_harness_set_src_caps_str(harness, "video/x-raw,format=GRAY8,width=4,height=4,framerate=30/1")
        let queue = gst_harness_find_element(harness, "backpressurequeue")
        let ledger = TokenLedger(mutex: ConditionMutex(conditions: 1), condition: 0)
        for _ in 0..<100 { play(ledger, harness) }
        print("between", ledger.inFlight, inFlight(of: queue))
        var copies: [UnsafeMutablePointer<GstBuffer>?] = []
        for _ in 0..<3 { copies.append(play(ledger, harness, copies: true)) }
        print("copied", ledger.inFlight, inFlight(of: queue))
        for copy in copies { gst_buffer_unref(copy) }
        print("released", ledger.inFlight, inFlight(of: queue))
        gst_object_unref(queue)
        gst_harness_teardown(harness)
    }

    /// Sends one frame through the plugin, and returns a copy of it.
    @discardableResult
    private static func play(
        _ ledger: TokenLedger, _ harness: UnsafeMutablePointer<GstHarness>, copies: Bool = false
    ) -> UnsafeMutablePointer<GstBuffer>? {
        guard var buffer = GStreamer.Buffer(byteCount: 16) else { return nil }
        let now = MonotonicClock.now
        var tokens = ledger.issue(1, enteredAt: now, bornAt: nil, now: now, scope: .derived)
        if let token = tokens.next() { buffer.attach(token) }
        gst_harness_push(harness, buffer.unsafeGive())
        guard let output = gst_harness_pull(harness) else { fatalError("no frame came out") }
        let copy = copies ? gst_buffer_copy_deep(output) : nil
        gst_buffer_unref(output)
        return copy
    }

    private static func inFlight(of queue: UnsafeMutablePointer<GstElement>?) -> UInt32 {
        var value = GValue()
        g_value_init(&value, cgst_type_uint())
        let object = UnsafeMutableRawPointer(queue!).assumingMemoryBound(to: GObject.self)
        g_object_get_property(object, "in-flight", &value)
        return g_value_get_uint(&value)
    }
}
