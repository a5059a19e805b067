import CGStreamer
import Foundation
import GstTestSupport
import Testing

/// Tests that the number of frames that an element holds, `in` - `out` - `dropped`, is not negative, and 0 after EOS.
@Suite(.serialized) struct AccountTests {
    private static let video =
        "videotestsrc num-buffers=90 ! capsfilter caps=video/x-raw,width=64,height=48,framerate=30/1"
    private static let monitor = " fakesink name=s perfmonitor name=m report=none elements=*"

    /// With the plugin sets that `plugin-build/common.sh` installs, more elements than the required numbers are tested.
    @Test func eachElementOfTheRegistryKeepsItsAccount() throws {
        guard try Python.hasGStreamer() else { return }
        let script = Setup.package.appending(path: "Tests/monitor/account.py").path
        let run = try ProgramRun("/usr/bin/python3", [script, "--minimum", "350", "150"], within: .seconds(1_800))
        #expect(run.status == 0, "\(run.output)")
    }

    /// Tests elements that hold frames, or have dropped some, before the monitor is enabled.
    @Test(
        arguments: [
            "videorate name=e drop-only=true ! capsfilter caps=video/x-raw,framerate=10/1", "identity name=e",
            "queue name=e min-threshold-buffers=20", "queue name=e leaky=downstream ! identity sleep-time=15000",
            "backpressurequeue name=e leaky=downstream max-size-buffers=3 ! identity sleep-time=15000",
            "jpegenc ! rtpgstpay ! identity ! rtpjitterbuffer name=e",
        ], [false, true])
    func accountBeginsWhenTheMonitorIsEnabled(element: String, isPaused: Bool) throws {
        let pipeline = Pipeline(
            "videotestsrc is-live=true ! capsfilter caps=video/x-raw,framerate=100/1,width=32,height=32 ! \(element) !"
                + Self.monitor + " enabled=false")
        let (entered, left) = (PadRecorder(pipeline, "e", pad: "sink"), PadRecorder(pipeline, "e", pad: "src"))
        #expect(pipeline.go(GST_STATE_PLAYING))
        func pass(_ count: Int) {
            let frames = entered.frames
            let havePassed = eventually {
                if let stats = pipeline.element("m").figures("e", ["in", "out", "dropped"]) {
                    #expect(stats[0] - stats[1] - stats[2] >= 0, "\(stats)")
                }
                return entered.frames > frames + count
            }
            #expect(havePassed)
        }
        pass(100)
        for isEnabled in isPaused ? ["true", "false", "true"] : ["true"] {
            pipeline.set("enabled", to: isEnabled, of: "m")
            pass(120)
        }
        #expect(gst_element_send_event(pipeline.raw, gst_event_new_eos()) != 0)
        #expect(pipeline.listen().last == "eos")
        pipeline.end()
        let stats = try #require(pipeline.element("m").figures("e", ["in", "out", "dropped"]))
        #expect(stats[0] < Double(entered.frames) && stats[1] < Double(left.frames) && stats[1] > 0)
        let held = stats[0] - stats[1] - stats[2]
        // Frames that left while the monitor was disabled still count as held.
        #expect(isPaused ? held >= 0 : held == 0, "\(stats)")
    }

    /// Several packets have the same PTS, which `rtpjitterbuffer` changes; `netsim` loses, delays or reorders packets.
    @Test(arguments: [
        "identity", "netsim drop-probability=0.1", "netsim duplicate-probability=0.2",
        "netsim delay-probability=1 min-delay=0 max-delay=30",
        "netsim delay-probability=0.2 min-delay=100 max-delay=200",
    ]) func packetsOfAJitterBufferAreNotDropped(network: String) throws {
        guard Setup.has("x264enc ! netsim ! rtpjitterbuffer") else { return }
        let pipeline = Pipeline(
            "videotestsrc is-live=true pattern=ball num-buffers=60 ! capsfilter caps=video/x-raw,width=640,height=360,framerate=60/1 ! x264enc tune=zerolatency speed-preset=ultrafast bitrate=1000 ! rtph264pay ! \(network) ! rtpjitterbuffer name=j latency=50 ! rtph264depay !"
                + Self.monitor)
        var last = 0.0
        pipeline.go(GST_STATE_PLAYING)
        let hasEnded = eventually {
            let stats = pipeline.element("m").figures("j", ["in", "out", "dropped"])
            if let stats { #expect(stats[0] - stats[1] - stats[2] >= 0 && stats[2] >= last, "\(stats)") }
            last = stats?[2] ?? last
            return !pipeline.listen(seconds: 0.01).isEmpty
        }
        #expect(hasEnded)
        pipeline.end()
        let (entered, left) = (try #require(pipeline.figure("j", "in")), try #require(pipeline.figure("j", "out")))
        #expect(pipeline.figure("j", "dropped") == entered - left, "\(entered) in, \(left) out")
        #expect(try #require(pipeline.figure("j", "latency-coverage")) > 0.95)
        #expect(try #require(pipeline.figure("j", "latency-p50")) <= #require(pipeline.figure("j", "age-p50")) * 1.05)
    }
}
