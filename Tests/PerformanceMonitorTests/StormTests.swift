import Foundation
import GstTestSupport
import Testing

/// Tests threads that change and read elements, pads, states and figures for 4 s, or for a minute with `LONG_TESTS=1`.
@Suite(.serialized, .enabled(if: (try? Python.hasGStreamer()) == true)) struct StormTests {
    private static let seconds = Setup.isLong ? "60" : "4"

    @Test(arguments: [true, false]) func noFigureFallsAndNothingLeaks(isElement: Bool) throws {
        let folder = Setup.newFolder().path
        let script = Setup.package.appending(path: "Tests/hosts/storm.py").path
        let storm = try Python([script, Self.seconds, folder, isElement ? "element" : "tracer"])
        #expect(storm.status == 0, "\(storm.output)")
        #expect(!storm.output.contains("Leaks detected"), "\(storm.output)")
        #expect(storm.output.contains("counters"), "\(storm.output)")
    }

    /// Tests that the tracer `leaks` reports a reference that an application keeps.
    @Test func aLeakWouldBeReported() throws {
        let script = """
            import gi; gi.require_version("Gst", "1.0")
            from gi.repository import Gst
            import ctypes
            Gst.init(None)
            buffer = Gst.Buffer.new_allocate(None, 10, None)
            ctypes.CDLL("libgstreamer-1.0.so.0").gst_mini_object_ref(ctypes.c_void_p(hash(buffer)))
            del buffer
            Gst.deinit()
            """
        let leak = try Python(["-c", script], ["GST_TRACERS": "leaks"])
        #expect(leak.output.contains("Leaks detected"), "\(leak.output)")
    }
}
