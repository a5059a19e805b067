import GStreamer
import GStreamerApp
import GStreamerTesting
import SwiftExamples
import Testing

@Suite struct WipeTests {
    private func caps(width: Int) -> String { "video/x-raw, format=BGRx, width=\(width), height=2, framerate=10/1" }

    /// Plays 3 frames of red and blue; returns the first row of each result as the colours of its 8 pixels.
    private func rows(position: String, opacity: Double = 1, width: Int = 8) throws -> [[String]] {
        initialize()
        gst_plugin_swiftexamples_register()
        let red = try #require(Harness("swiftwipe", ["position": position], sink: "sink_0", caps: caps(width: 8)))
        let blue = try #require(Harness(red.element, sink: "sink_1", source: nil, caps: caps(width: width)))
        #expect(red.element.animate("sink_1::opacity", [(.zero, opacity)]))
        return try (0..<3).map { number in
            for (harness, pixel, count) in [(red, [0, 0, 255, 0] as [UInt8], 16), (blue, [255, 0, 0, 0], width * 2)] {
                var frame = Buffer(Array(repeating: pixel, count: count).flatMap(\.self))
                frame.pts = .milliseconds(100 * number)
                #expect(harness.push(frame) == .ok)
            }
            let bytes = try #require(red.waitForBuffer()).bytes
            return (0..<8).map { pixel in
                let (blue, red) = (bytes[pixel * 4], bytes[pixel * 4 + 2])
                return red > 250 ? "red" : blue > 250 ? "blue" : blue > 120 && red > 120 ? "both" : "none"
            }
        }
    }

    @Test func borderIsAtThePositionInEachFrame() throws {
        let rows = try rows(position: "0.25")
        #expect(rows == Array(repeating: ["red", "red", "blue", "blue", "blue", "blue", "blue", "blue"], count: 3))
    }

    @Test func videosOfAnotherSizeAreScaled() throws {
        let rows = try rows(position: "0.75", width: 4)
        #expect(rows.allSatisfy { $0 == ["red", "red", "red", "red", "red", "red", "blue", "blue"] })
    }

    @Test func opacityMixesBothVideos() throws {
        let rows = try rows(position: "0.5", opacity: 0.5)
        #expect(rows.allSatisfy { $0 == ["red", "red", "red", "red", "both", "both", "both", "both"] })
    }
}
