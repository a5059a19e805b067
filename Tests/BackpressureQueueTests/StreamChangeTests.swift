import CGStreamer
import GstTestSupport
import Synchronization
import Testing

/// Tests streams that end, start and are flushed while other threads push, query and wait.
@Suite struct StreamChangeTests {
    private let streamCount = 50

    @Test func newStreamMayFollowEOSImmediately() {
        let rig = QueueRig()
        rig.link()
        rig.play()
        for _ in 0..<streamCount {
            rig.begin()
            rig.push()
            gst_pad_push_event(rig.source, gst_event_new_eos())
        }
        let one = ["stream-start", "segment", "buffer", "eos"]
        let all = (0..<streamCount).flatMap { _ in one }
        #expect(eventually { rig.order.count == all.count })
        #expect(rig.order == all)
        #expect(rig.push() == GST_FLOW_EOS)
    }

    @Test func serializedQueriesAreAnsweredAcrossStreams() {
        let rig = QueueRig()
        rig.link()
        rig.answerSerializedQueries()
        rig.play()
        for _ in 0..<streamCount {
            rig.begin()
            rig.push()
            #expect(rig.drain())
            gst_pad_push_event(rig.source, gst_event_new_eos())
        }
        rig.begin()
        gst_pad_push_event(rig.source, gst_event_new_flush_start())
        #expect(!rig.drain())
        gst_pad_push_event(rig.source, gst_event_new_flush_stop(1))
        rig.begin()
        #expect(rig.drain())
    }

    /// One thread pushes frames, queries and EOS, while another thread flushes and changes the state.
    @Test(arguments: ["downstream", "upstream", "no"])
    func noThreadIsLeftWaiting(leaky: String) {
        let rig = QueueRig(
            [
                ("leaky", leaky), ("max-in-flight", "2"), ("in-flight-timeout", "0"), ("max-size-buffers", "3"),
            ])
        rig.record.sinkKeeps.store(false, ordering: .relaxed)
        rig.link()
        rig.answerSerializedQueries()
        rig.play()
        rig.begin()
        let isStopping = Atomic<Bool>(false)
        let hasEnded = Atomic<Bool>(false)
        let answers = Atomic<Int>(0)
        let feeder = TestThread {
            var step = 0
            while !isStopping.load(ordering: .relaxed) {
                step += 1
                rig.push()
                if step % 5 == 0, rig.drain() { answers.add(1, ordering: .relaxed) }
                if step % 37 == 0 {
                    gst_pad_push_event(rig.source, gst_event_new_eos())
                    rig.begin()
                }
            }
            hasEnded.store(true, ordering: .relaxed)
        }
        for round in 0..<300 {
            simulateWork(for: .microseconds(300 + round % 700))
            if round % 10 == 9 {
                rig.go(round % 20 == 9 ? GST_STATE_READY : GST_STATE_NULL)
                rig.go(GST_STATE_PLAYING)
            }
            gst_pad_push_event(rig.source, gst_event_new_flush_start())
            if round % 3 > 0 { simulateWork(for: .microseconds(100)) }
            gst_pad_push_event(rig.source, gst_event_new_flush_stop(1))
            rig.begin()
        }
        isStopping.store(true, ordering: .relaxed)
        rig.go(GST_STATE_NULL)
        // A thread that waits forever would also block the end of `rig`, so the test ends the process.
        guard eventually(within: .seconds(30), { hasEnded.load(ordering: .relaxed) }) else {
            fatalError("a thread is blocked in the queue")
        }
        feeder.join()
        #expect(answers.load(ordering: .relaxed) > 0)
        #expect(rig.isConserved)
    }
}
