import CGStreamer
import GstTestSupport
import Synchronization
import Testing

/// Tests flushes and errors.
extension CoreQueueTests {
    @Test func stateChangeWhenFlushing() {
        for _ in 0..<100 {
            let rig = QueueRig()
            rig.link()
            rig.go(GST_STATE_PAUSED)
            gst_pad_push_event(rig.source, gst_event_new_flush_start())
            let thread = TestThread { gst_pad_push_event(rig.source, gst_event_new_flush_stop(1)) }
            #expect(rig.go(GST_STATE_READY) == GST_STATE_CHANGE_SUCCESS)
            thread.join()
            #expect(rig.go(GST_STATE_NULL) == GST_STATE_CHANGE_SUCCESS)
        }
    }

    @Test func queriesWhileFlushing() {
        let rig = QueueRig()
        rig.link()
        gst_pad_set_query_function_full(
            rig.sink,
            { _, _, _ in
                simulateWork(for: .milliseconds(1))
                return 1
            }, nil, nil)
        for _ in 0..<200 {
            rig.play()
            let answers = Mutex<[Bool]>([])
            let thread = TestThread {
                for _ in 0..<100 {
                    let isAnswered = Self.queryAllocation(rig.source)
                    answers.withLock { $0.append(isAnswered) }
                    if !isAnswered { break }
                }
            }
            simulateWork(for: .milliseconds(1))
            gst_pad_push_event(rig.source, gst_event_new_flush_start())
            thread.join()
            // The flush lets only the last query fail.
            let results = answers.withLock { $0 }
            #expect(results.dropLast().allSatisfy { $0 } && (results.last == false || results.count == 100))
            #expect(!Self.queryAllocation(rig.source))
            #expect(rig.go(GST_STATE_NULL) == GST_STATE_CHANGE_SUCCESS)
        }
    }

    private static func queryAllocation(_ source: RawPad) -> Bool {
        let caps = gst_caps_new_any()
        let query = gst_query_new_allocation(caps, 0)
        defer {
            gst_query_unref(query)
            gst_caps_unref(caps)
        }
        return gst_pad_peer_query(source, query) != 0
    }

    @Test func flushOnError() {
        let rig = QueueRig()
        rig.block()
        rig.go(GST_STATE_PLAYING)
        rig.begin()
        let buffers = [QueueRig.buffer(), QueueRig.buffer()]
        for buffer in buffers {
            gst_buffer_ref(buffer)
            rig.push(buffer)
        }
        rig.record.sinkFlow.store(GST_FLOW_ERROR.rawValue, ordering: .relaxed)
        rig.record.sinkKeeps.store(false, ordering: .relaxed)
        rig.link()
        rig.unblock()
        #expect(eventually { buffers.allSatisfy { $0.pointee.mini_object.refcount == 1 } })
        #expect(rig.push() == GST_FLOW_ERROR)
        #expect(rig.isConserved)
        for buffer in buffers { gst_buffer_unref(buffer) }
    }
}
