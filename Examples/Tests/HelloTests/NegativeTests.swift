import GStreamer
import GStreamerTesting
import Hello
import Testing

@Suite struct NegativeTests {
    private let caps = "video/x-raw, format=BGRx, width=2, height=1, framerate=30/1"
    /// A red and a green pixel.
    private let frame: [UInt8] = [0, 0, 255, 0, 0, 255, 0, 0]
    private let negative: [UInt8] = [255, 255, 0, 255, 255, 0, 255, 255]

    init() {
        initialize()
        gst_plugin_hello_register()
    }

    @Test func changesColoursInEachFrameOfEachRun() throws {
        let harness = try #require(Harness("negative", caps: caps))
        for _ in 0..<2 {
            for _ in 0..<3 { #expect(harness.play(frame) == negative) }
            harness.restart(caps: caps)
        }
    }

    @Test func amountIsTheShareOfTheNegative() throws {
        let harness = try #require(Harness("negative", ["amount": "0.25"], caps: caps))
        #expect(harness.play(frame) == [63, 63, 191, 63, 63, 191, 63, 63])
        harness.element.set("amount", to: 0)
        #expect(harness.play(frame) == frame)
    }

    @Test func releasesEverythingWithoutAWarning() {
        let warnings = loggedWarnings {
            let leaks = Harness.leaks(of: "negative", caps: caps) { #expect($0.play(frame) == negative) }
            #expect(leaks == [])
        }
        #expect(warnings == [])
    }
}
