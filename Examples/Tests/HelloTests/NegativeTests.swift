import GStreamer
import GStreamerApp
import Hello
import Testing

@Suite struct NegativeTests {
    /// Plays 3 frames of eight red and eight green pixels; returns the bytes of one pixel of each, for each frame.
    private func pixels(_ properties: String) async throws -> [[UInt8]] {
        initialize()
        gst_plugin_hello_register()
        let pipeline = try Pipeline(
            "videotestsrc num-buffers=3 pattern=checkers-8 ! video/x-raw,format=BGRx,width=16,height=8 "
                + "! negative \(properties) ! appsink name=sink sync=false")
        let samples = try pipeline.samples(of: "sink")
        var pixels: [[UInt8]] = []
        for _ in 0..<2 {
            try await pipeline.set(.playing)
            for try await sample in samples { pixels.append(Array(sample.bytes[0..<3] + sample.bytes[32..<35])) }
            try await pipeline.set(.null)
        }
        return pixels
    }

    @Test func changesColoursInEachFrameOfEachRun() async throws {
        let pixels = try await pixels("")
        #expect(pixels.count == 6)
        // The negatives of green and red, in either order.
        #expect(pixels.allSatisfy { $0 == [255, 0, 255, 255, 255, 0] || $0 == [255, 255, 0, 255, 0, 255] })
    }

    @Test func amountIsTheShareOfTheNegative() async throws {
        #expect(try await pixels("amount=0.25").allSatisfy { Set($0) == [63, 191] })
    }

    @Test func passesFramesWithoutAnAmount() async throws {
        let pixels = try await pixels("amount=0")
        #expect(pixels.allSatisfy { $0 == [0, 255, 0, 0, 0, 255] || $0 == [0, 0, 255, 0, 255, 0] })
    }
}
