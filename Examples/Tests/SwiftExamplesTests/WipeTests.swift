import GStreamer
import GStreamerApp
import SwiftExamples
import Testing

@Suite struct WipeTests {
    /// Plays 3 frames of red and blue twice; returns the first row of each frame as the colours of its 8 pixels.
    private func rows(_ properties: String, width: Int = 8) async throws -> [[String]] {
        initialize()
        gst_plugin_swiftexamples_register()
        let pipeline = try Pipeline(
            "swiftwipe name=wipe \(properties) ! video/x-raw,format=BGRx ! appsink name=sink sync=false "
                + "videotestsrc num-buffers=3 pattern=red ! video/x-raw,format=I420,width=8,height=4 ! wipe. "
                + "videotestsrc num-buffers=3 pattern=blue ! video/x-raw,format=BGRx,width=\(width),height=4 ! wipe.")
        let samples = try pipeline.samples(of: "sink")
        var rows: [[String]] = []
        for _ in 0..<2 {
            try await pipeline.set(.playing)
            for try await sample in samples {
                rows.append(
                    (0..<8).map { pixel in
                        let (blue, red) = (sample.bytes[pixel * 4], sample.bytes[pixel * 4 + 2])
                        return red > 250 ? "red" : blue > 250 ? "blue" : blue > 120 && red > 120 ? "both" : "none"
                    })
            }
            try await pipeline.set(.null)
        }
        return rows
    }

    @Test func borderIsAtThePositionInEachFrameOfEachRun() async throws {
        let rows = try await rows("position=0.25")
        #expect(rows == Array(repeating: ["red", "red", "blue", "blue", "blue", "blue", "blue", "blue"], count: 6))
    }

    @Test func videosOfAnotherSizeAreScaled() async throws {
        let rows = try await rows("position=0.75", width: 4)
        #expect(rows.allSatisfy { $0 == ["red", "red", "red", "red", "red", "red", "blue", "blue"] })
    }

    @Test func opacityMixesBothVideos() async throws {
        let rows = try await rows("position=0.5 sink_1::opacity=0.5")
        #expect(rows.allSatisfy { $0 == ["red", "red", "red", "red", "both", "both", "both", "both"] })
    }
}
