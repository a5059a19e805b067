import CGStreamer
import Dispatch
import MonitorPolicy
import Synchronization
import Testing

@testable import MonitorEngine

@Suite struct SegmentTests {
    private final class Shared: @unchecked Sendable {  // The events are constant.
        let segment = PadTap.Segment()
        let writers = Atomic<Int>(2)
        let known = Atomic<Int>(0)
        let wrong = Atomic<Int>(0)
        /// Two segments in which a frame's running time equals its PTS; with fields of both segments, it does not.
        let events = [0, 1_000_000_000_000].compactMap { (start: GstClockTime) in
            var segment = GstSegment()
            gst_segment_init(&segment, GST_FORMAT_TIME)
            (segment.start, segment.base) = (start, start)
            return gst_event_new_segment(&segment)
        }

        deinit { for event in events { gst_event_unref(event) } }
    }

    @Test func runningTimesAreThoseOfOneSegmentWhileThreadsChangeIt() {
        let shared = Shared()
        let pts: UInt64 = 2_000_000_000_000
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            guard thread > 1 else {
                for index in 0..<200_000 { _ = shared.segment.take(shared.events[index & 1]) }
                shared.writers.subtract(1, ordering: .releasing)
                return
            }
            var (reads, isLast) = (0, false)
            // A writer may be preempted during a change, so the last read is after all changes.
            while !isLast {
                reads += 1
                isLast = reads >= 200_000 && shared.writers.load(ordering: .acquiring) == 0
                switch shared.segment.runningTime(of: GstClockTime(pts)) {
                case pts: shared.known.wrappingAdd(1, ordering: .relaxed)
                case FrameTimes.noPTS: break
                default: shared.wrong.wrappingAdd(1, ordering: .relaxed)
                }
            }
        }
        #expect(shared.wrong.load(ordering: .relaxed) == 0)
        #expect(shared.known.load(ordering: .relaxed) > 0)
        #expect(shared.segment.runningTime(of: GstClockTime(pts)) == pts)
    }

    @Test func runningTimesAreThoseOfGStreamer() {
        let times: [GstClockTime] = [0, 1, 40, 41, 99, 100, 140, 141, 1_000, .max - 1]
        let bounds: [(GstClockTime, GstClockTime)] = [(0, .max), (40, 140), (.max - 50, .max)]
        for rate in [1, 2, 0.5, -1, -2] {
            // GStreamer requires a stop in reverse playback.
            for (start, stop) in bounds where rate > 0 || stop != .max {
                for (offset, base) in [(0, 0), (1, 7), (60, 3_000)] as [(GstClockTime, GstClockTime)] {
                    var segment = GstSegment()
                    gst_segment_init(&segment, GST_FORMAT_TIME)
                    (segment.rate, segment.start, segment.stop) = (rate, start, stop)
                    (segment.offset, segment.base) = (offset, base)
                    guard let event = gst_event_new_segment(&segment) else { continue }
                    defer { gst_event_unref(event) }
                    let tested = PadTap.Segment()
                    let isTaken = tested.take(event)
                    #expect(isTaken)
                    for pts in times {
                        let expected = UInt64(gst_segment_to_running_time(&segment, GST_FORMAT_TIME, pts))
                        let time = tested.runningTime(of: pts)
                        #expect(time == expected, "\(pts) in \(segment)")
                    }
                }
            }
        }
    }
}
