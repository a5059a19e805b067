import TestSupport
import CGStreamer
import Foundation
import GstTestSupport
import Synchronization
import Testing

/// Tests that the figures equal the counts, delays and rates that the tests cause.
@Suite(.serialized) struct FigureTests {
    @Test func countsEachFrame() {
        let pipeline = Pipeline(
            "fakesrc name=o num-buffers=500 ! identity name=i ! fakesink name=s perfmonitor name=m report=none elements=*"
        )
        #expect(pipeline.play() == ["eos"])
        pipeline.end()
        #expect(pipeline.figure("o", "out") == 500)
        #expect(pipeline.figure("i", "in") == 500 && pipeline.figure("i", "out") == 500)
        #expect(pipeline.figure("s", "in") == 500)
    }

    /// One frame in ten is held six to twelve times as long as the others.
    ///
    /// Other programs may delay frames outside of the handler too, so one exact run of 40 is sufficient.
    @Test func percentilesAreThoseOfKnownDelays() throws {
        #expect(try (0..<40).contains { _ in try measuresKnownDelays() })
    }

    private func measuresKnownDelays() throws -> Bool {
        let pipeline = Pipeline(
            "videotestsrc num-buffers=300 ! capsfilter caps=video/x-raw,width=32,height=32 ! identity name=i signal-handoffs=true ! tee name=t ! queue ! fakesink name=s t. ! queue ! fakesink perfmonitor name=m report=none"
        )
        let hold = Hold()
        hold.connect(to: pipeline.element("i"))
        #expect(pipeline.play() == ["eos"])
        pipeline.end()
        let delays = hold.delays
        #expect(delays.count == 300)
        var isExact = true
        for (figure, share) in [("p50", 0.5), ("p95", 0.95)] {
            let expected = Double(delays[Int((share * Double(delays.count)).rounded(.up)) - 1])
            let measured = try #require(pipeline.figure("i", "latency-\(figure)"))
            // The calls around the handler take up to 0.1 ms.
            if abs(measured - expected) > 0.03 * expected + 100_000 { isExact = false }
        }
        #expect(pipeline.figure("i", "latency-coverage") == 1)
        #expect(pipeline.figure("s", "age-coverage") == 1)
        let median = Double(delays[delays.count / 2])
        return try #require(pipeline.figure("s", "age-p50")) >= median * 0.97 && isExact
    }

    @Test func measuresEachFrameOfAnEncoderThatReorders() {
        guard Setup.has("x264enc ! mp4mux") else { return }
        let pipeline = Pipeline(
            "videotestsrc num-buffers=100 ! x264enc name=e bframes=3 ! h264parse name=h ! mp4mux name=x ! fakesink name=s perfmonitor name=m report=none elements=*"
        )
        #expect(pipeline.play() == ["eos"])
        pipeline.end()
        #expect(pipeline.figure("e", "in") == 100)
        #expect(pipeline.figure("e", "out") == 100)
        #expect(pipeline.figure("e", "latency-coverage") == 1)
        #expect(pipeline.figure("e", "dropped") == 0)
        #expect(pipeline.figure("x", "dropped") == nil && pipeline.figure("h", "dropped") == nil)
    }

    @Test func countsDropsOfVideorate() {
        let pipeline = Pipeline(
            "videotestsrc num-buffers=60 ! capsfilter caps=video/x-raw,framerate=30/1 ! videorate name=r drop-only=true ! capsfilter caps=video/x-raw,framerate=10/1 ! fakesink name=s perfmonitor name=m report=none elements=*"
        )
        #expect(pipeline.play() == ["eos"])
        pipeline.end()
        let (entered, left) = (pipeline.figure("r", "in") ?? 0, pipeline.figure("r", "out") ?? 0)
        #expect(entered == 60)
        #expect(left > 15 && left < 25)
        #expect(pipeline.figure("r", "dropped") == entered - left)
    }

    @Test(arguments: [
        "queue name=q leaky=downstream max-size-buffers=2",
        "backpressurequeue name=q leaky=downstream max-size-buffers=2",
    ]) func countsDropsOfQueues(queue: String) {
        let pipeline = Pipeline(
            "videotestsrc num-buffers=200 is-live=true ! capsfilter caps=video/x-raw,framerate=200/1,width=32,height=32 ! \(queue) ! identity sleep-time=15000 ! fakesink name=s sync=false perfmonitor name=m report=none"
        )
        #expect(pipeline.play().last == "eos")
        pipeline.end()
        let (entered, left) = (pipeline.figure("q", "in") ?? 0, pipeline.figure("q", "out") ?? 0)
        #expect(entered == 200 && left < 190)
        #expect(pipeline.figure("q", "dropped") == entered - left)
    }

    /// Other programs may delay the source, so one exact run of ten is sufficient.
    @Test func rateOfALiveSourceIsItsFramerate() throws {
        #expect(try (0..<10).contains { _ in abs(try rateOfALiveSource() - 30) < 0.9 })
    }

    private func rateOfALiveSource() throws -> Double {
        let pipeline = Pipeline(
            "videotestsrc name=o num-buffers=91 is-live=true ! capsfilter caps=video/x-raw,framerate=30/1,width=32,height=32 ! fakesink name=s perfmonitor name=m report=none"
        )
        #expect(pipeline.play() == ["eos"])
        pipeline.end()
        return try #require(pipeline.figure("o", "rate"))
    }

    @Test func ageInALivePipelineContainsTheWaitOfAQueue() throws {
        let pipeline = Pipeline(
            "videotestsrc num-buffers=60 is-live=true ! capsfilter caps=video/x-raw,framerate=30/1,width=32,height=32 ! queue name=q min-threshold-time=200000000 ! fakesink name=s sync=false perfmonitor name=m report=none"
        )
        #expect(pipeline.play() == ["eos"])
        pipeline.end()
        let wait = try #require(pipeline.figure("q", "latency-p50"))
        let age = try #require(pipeline.figure("s", "age-p50"))
        #expect(wait > 100_000_000)
        #expect(age >= wait * 0.97)
    }

    /// Some sources answer a LATENCY query only when they have caps.
    ///
    /// The run is shorter than a second, so the monitor, which reads once a second, cannot correct its first reading.
    /// Frames that pass before the monitor is in PLAYING have no age by running time.
    @Test(arguments: 0..<8) func agesOfALiveSourceAreKnownFromItsStart(run: Int) throws {
        let pipeline = Pipeline(
            "videotestsrc name=o is-live=true num-buffers=10 ! fakesink perfmonitor name=m report=none")
        #expect(pipeline.play() == ["eos"])
        pipeline.end()
        #expect(try #require(pipeline.figure("o", "age-count")) >= 8, "run \(run)")
    }

    @Test func hostileTimestampsAreCounted() {
        for stamps: [UInt64?] in [
            [nil, nil, nil], [5_000_000_000, 1, 0, 3], [.max - 1, .max - 2, 0], [0, 0, 0, 0],
        ] {
            let pipeline = Pipeline(
                "appsrc name=a format=time ! identity name=i ! fakesink name=s perfmonitor name=m report=none elements=*"
            )
            #expect(gst_element_set_state(pipeline.raw, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE)
            var result = GST_FLOW_OK
            for stamp in stamps {
                let buffer = newBuffer([1, 2, 3], pts: stamp)
                g_signal_emit_push(pipeline.element("a"), buffer, &result)
                #expect(result == GST_FLOW_OK)
                gst_buffer_unref(buffer)
            }
            gst_element_send_event(pipeline.raw, gst_event_new_eos())
            #expect(pipeline.listen() == ["eos"])
            pipeline.end()
            #expect(pipeline.figure("i", "in") == Double(stamps.count))
            #expect(pipeline.figure("i", "dropped") == 0)
        }
    }
}

/// Pushes a buffer with the action signal `push-buffer`; the caller keeps its reference to the buffer.
private func g_signal_emit_push(_ source: RawElement, _ buffer: RawBuffer, _ result: inout GstFlowReturn) {
    let pad = gst_element_get_static_pad(source, "src")!
    gst_object_unref(pad)
    var values = [GValue(), GValue()]
    g_value_init(&values[0], cgst_type_of(source))
    g_value_set_object(&values[0], source)
    g_value_init(&values[1], gst_buffer_get_type())
    g_value_set_boxed(&values[1], buffer)
    var flow = GValue()
    g_value_init(&flow, gst_flow_return_get_type())
    g_signal_emitv(values, g_signal_lookup("push-buffer", cgst_type_of(source)), 0, &flow)
    result = GstFlowReturn(rawValue: g_value_get_enum(&flow))
    g_value_unset(&values[0])
    g_value_unset(&values[1])
}

private func cgst_type_of(_ element: RawElement) -> GType {
    UnsafeMutableRawPointer(element).assumingMemoryBound(to: GTypeInstance.self).pointee.g_class.pointee.g_type
}

/// Delays frames in the handler of `handoff` by random times with a heavy tail, and measures the delays.
private final class Hold: Sendable {
    private struct State {
        var dice = Random(seed: 7)
        var delays: [UInt64] = []
    }

    private let state = Mutex(State())

    /// The delays in nanoseconds, shortest first.
    var delays: [UInt64] { state.withLock { $0.delays.sorted() } }

    func connect(to identity: RawElement) {
        let handler: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, hold in
            Unmanaged<Hold>.fromOpaque(hold!).takeUnretainedValue().hold()
        }
        g_signal_connect_data(
            identity, "handoff", unsafeBitCast(handler, to: GCallback.self), Unmanaged.passRetained(self).toOpaque(),
            { hold, _ in Unmanaged<Hold>.fromOpaque(hold!).release() }, GConnectFlags(rawValue: 0))
    }

    private func hold() {
        let begin = gst_util_get_timestamp()
        let draw = state.withLock { $0.dice.next() % 1000 }
        simulateWork(for: draw < 900 ? .milliseconds(5) : .milliseconds(30 + Int(draw % 31)))
        let end = gst_util_get_timestamp()
        state.withLock { $0.delays.append(UInt64(end - begin)) }
    }
}
