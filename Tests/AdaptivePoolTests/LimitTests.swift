import CGStreamer
import Foundation
import TestSupport
import GstTestSupport
import Testing

@testable import GStreamer

/// Tests that the automatic limit never blocks a stream, and that a warning follows if a limit of the user blocks it.
@Suite(.serialized) struct LimitTests {
    private static let source = "videotestsrc num-buffers=80 ! video/x-raw,width=64,height=48,framerate=100/1"
    private let endless = "videotestsrc ! video/x-raw,format=BGRx,width=64,height=48,framerate=100/1"

    /// Each element holds more frames than the automatic limit permits.
    @Test(arguments: [
        "queue min-threshold-buffers=20", "queue min-threshold-buffers=60",
        "vp9enc lag-in-frames=25 cpu-used=8 deadline=1",
        "x265enc", "x264enc", "vp8enc lag-in-frames=25 cpu-used=8 deadline=1",
    ])
    func passesAsManyFramesAsIdentity(keeper: String) {
        guard Setup.has(String(keeper.prefix { $0 != " " })) else { return }
        let counts = ["identity", "adaptivepool name=p"].map { middle in
            let pipeline = Pipeline("\(Self.source) ! \(middle) ! \(keeper) ! fakesink name=s")
            let count = PadRecorder(pipeline)
            #expect(pipeline.play().last == "eos", "\(middle) ! \(keeper)")
            return count.frames
        }
        #expect(counts[0] > 0 && counts[0] == counts[1])
    }

    /// While memory is scarce, the automatic limit is three buffers.
    @Test func shortMemoryNeverBlocksTheStream() throws {
        let root = try FakeRoot(["/proc/pressure/memory": "some avg10=50.00 avg60=0.00 avg300=0.00 total=0\n"])
        let pipeline = Pipeline(
            "videotestsrc ! video/x-raw,format=BGRx,width=64,height=48,framerate=100/1 ! adaptivepool name=p "
                + "window=20000000 sensor-root=\(root.path) ! queue min-threshold-buffers=60 ! fakesink name=s async=false"
        )
        let count = PadRecorder(pipeline)
        _ = pipeline.play(seconds: 0.1)
        _ = eventually {
            _ = pipeline.listen(seconds: 0.1)
            return count.frames > 0
        }
        #expect(count.frames > 0 && pipeline.statistic("limit-raises") >= 1)
    }

    /// Backward playback begins at the stop position, and the decoder decodes a group of pictures before it outputs it.
    @Test func playsBackwardsAsFarAsIdentity() {
        let counts = ["identity", "adaptivepool"].map { middle in
            let pipeline = Pipeline(
                "filesrc location=\(Clip.path) ! matroskademux ! vp8dec ! \(middle) ! fakesink name=s")
            let count = PadRecorder(pipeline)
            pipeline.go(GST_STATE_PAUSED)
            let isSought = gst_element_seek(
                pipeline.raw, -1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET,
                4_000_000_000)
            #expect(isSought != 0)
            #expect(pipeline.play().last == "eos")
            return count.frames
        }
        #expect(counts[0] > 30 && counts[0] == counts[1])
    }

    /// The holder is not a queue, because a queue that pushes its segment before its first frame seems to hold none.
    @Test func warningNamesTheHolderWhenTheAutomaticLimitIsRaised() {
        let pipeline = Pipeline(
            "\(endless) ! adaptivepool name=p ! identity ! appsink name=hoarder sync=false async=false")
        var heard: [String] = []
        func isPosted() -> Bool { heard.contains { $0.hasPrefix("warning: ") && $0.contains("; hoarder ") } }
        heard = pipeline.play(seconds: 0.2)
        _ = eventually {
            heard += pipeline.listen(seconds: 0.1)
            return isPosted() && pipeline.statistic("limit") >= 40
        }
        #expect(
            heard.contains {
                $0.hasPrefix("warning: The limit of the pool was raised to ")
                    && $0.contains(" buffers, because none was released; hoarder probably holds most of them.")
            }, "\(heard)")
        #expect(pipeline.statistic("limit-raises") >= 1 && pipeline.statistic("limit") >= 40)
    }

    /// A limit that the user sets is never raised, even if it is 16, the initial automatic limit.
    @Test func aLimitOfTheUserBlocksAndRepeatsItsWarning() {
        let pipeline = Pipeline(
            "\(endless) ! adaptivepool name=p max-buffers=16 ! queue name=hoarder min-threshold-buffers=40 ! "
                + "fakesink name=s async=false")
        let count = PadRecorder(pipeline)
        var heard = pipeline.play(seconds: 0.1)
        func warnings() -> Int {
            heard.count {
                $0.hasPrefix("warning: All 16 buffers that max-buffers allows are in use; hoarder probably")
            }
        }
        _ = eventually {
            heard += pipeline.listen(seconds: 0.1)
            return warnings() >= 2
        }
        #expect(warnings() >= 2 && count.frames == 0, "\(heard)")
        #expect(pipeline.get("current-buffers") == "16" && pipeline.statistic("limit-raises") == 0)
        // When the limit is removed, the stream continues.
        pipeline.set("max-buffers", to: "-1")
        _ = eventually {
            heard += pipeline.listen(seconds: 0.1)
            return count.frames > 0
        }
        #expect(count.frames > 0)
    }

    /// Tests that the pool shrinks again after its limit was raised.
    @Test func shrinksAgainAfterALookAheadEnds() {
        let pipeline = Pipeline(
            "\(endless) ! adaptivepool name=p window=20000000 resize-interval=0 ! "
                + "queue name=hoarder min-threshold-buffers=40 ! fakesink name=s async=false")
        let count = PadRecorder(pipeline)
        _ = pipeline.play(seconds: 0.1)
        _ = eventually {
            _ = pipeline.listen(seconds: 0.1)
            return count.frames > 0
        }
        let before = Int(pipeline.get("current-buffers"))!
        pipeline.set("min-threshold-buffers", to: "0", of: "hoarder")
        pipeline.set("max-size-buffers", to: "3", of: "hoarder")
        func size() -> Int { Int(pipeline.get("current-buffers"))! }
        _ = eventually {
            _ = pipeline.listen(seconds: 0.1)
            return size() <= 10
        }
        #expect(before >= 40 && size() <= 10)
    }

    @Test func disabledWithoutALimitOffersAStockPoolWithoutALimit() {
        let pipeline = Pipeline(
            "\(Self.source) ! adaptivepool enabled=false ! queue min-threshold-buffers=40 ! fakesink")
        #expect(pipeline.play() == ["eos"])
    }

    @Test(arguments: [
        (
            "min-buffers=20 max-buffers=5",
            "min-buffers=20 is greater than max-buffers=5; the pool has at most 5 buffers."
        ),
        (
            "grow-threshold=0.25 shrink-threshold=0.5",
            "grow-threshold=0.25 is less than shrink-threshold=0.5; the pool uses 0.25 for both."
        ),
        ("min-buffers=20", nil), ("max-buffers=2", nil), ("min-buffers=20 max-buffers=0", nil),
    ])
    func warnsAboutContradictingSettingsOncePerStart(settings: String, text: String?) {
        let pipeline = Pipeline("\(Self.source) ! adaptivepool name=p \(settings) ! fakesink")
        let warnings = pipeline.play().filter { $0.hasPrefix("warning: ") }
        #expect(warnings == (text.map { ["warning: \($0)"] } ?? []))
        pipeline.go(GST_STATE_NULL)
        #expect(pipeline.play().filter { $0.hasPrefix("warning: ") } == warnings)
    }

    @Test func warnsWhenSettingsContradictEachOtherLater() {
        let pipeline = Pipeline("\(endless) ! adaptivepool name=p min-buffers=20 ! fakesink sync=true")
        var heard = pipeline.play(seconds: 0.2)
        #expect(!heard.contains { $0.hasPrefix("warning: ") })
        pipeline.set("max-buffers", to: "5")
        func isPosted() -> Bool { heard.contains { $0.hasPrefix("warning: min-buffers=20 is greater than") } }
        _ = eventually {
            heard += pipeline.listen(seconds: 0.1)
            return isPosted()
        }
        #expect(isPosted() && pipeline.get("current-buffers") == "5")
    }
}

/// The clip in the repository.
enum Clip {
    static let path = Setup.package.appending(path: "pipelines/media/bigbuckbunny.webm").path
}
