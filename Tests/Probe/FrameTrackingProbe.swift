import CGStreamer
import FrameTracking
import GStreamer
import GStreamerTesting
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
            let harness = Harness(
                "backpressurequeue", ["leaky": "no", "max-in-flight": "4"],
                caps: "video/x-raw,format=GRAY8,width=4,height=4,framerate=30/1")
        else { fatalError("\(plugin) cannot be loaded") }
        let ledger = TokenLedger(mutex: ConditionMutex(conditions: 1), condition: 0)
        for _ in 0..<100 { play(ledger, harness) }
        print("between", ledger.inFlight, inFlight(of: harness))
        var copies: [UnsafeMutablePointer<GstBuffer>?] = []
        for _ in 0..<3 { copies.append(play(ledger, harness, copies: true)) }
        print("copied", ledger.inFlight, inFlight(of: harness))
        for copy in copies { gst_buffer_unref(copy) }
        print("released", ledger.inFlight, inFlight(of: harness))
    }

    /// Sends one frame through the plugin, and returns a copy of it.
    @discardableResult
    private static func play(
        _ ledger: TokenLedger, _ harness: Harness, copies: Bool = false
    ) -> UnsafeMutablePointer<GstBuffer>? {
        guard var buffer = GStreamer.Buffer(byteCount: 16) else { return nil }
        let now = MonotonicClock.now
        var tokens = ledger.issue(1, enteredAt: now, bornAt: nil, now: now, scope: .derived)
        if let token = tokens.next() { buffer.attach(token) }
        harness.push(buffer)
        guard let output = harness.waitForBuffer()?.buffer?.unsafeGive() else { fatalError("no frame came out") }
        defer { gst_buffer_unref(output) }
        return copies ? gst_buffer_copy_deep(output) : nil
    }

    private static func inFlight(of harness: Harness) -> UInt32 {
        guard case .uint(let count) = harness.element.value("in-flight") else { fatalError("there is no in-flight") }
        return count
    }
}
