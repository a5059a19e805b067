import CGStreamer
import GstTestSupport
import Testing

import Threads
@testable import GStreamer
@testable import ThermalCaps

@Suite struct PropertyWatchTests {
    @Test func ignoresItsOwnWritesAndDetectsOthers() throws {
        let neighbour = try #require(Harness("identity"))
        let element = neighbour.element
        let watch = PropertyWatch(element, "sleep-time")
        #expect(!watch.hasChanged())
        watch.write { element.set("sleep-time", to: 5) }
        #expect(!watch.hasChanged())
        elsewhere { element.set("sleep-time", to: 5) }
        #expect(watch.hasChanged() && !watch.hasChanged())
        elsewhere { element.set("drop-probability", to: 0) }
        #expect(!watch.hasChanged())
        // The test sets the property without `write`, which counts as a change.
        element.set("sleep-time", to: 6)
        #expect(watch.hasChanged())
    }

    @Test func ignoresNotificationsOfTheStreamingThread() throws {
        let neighbour = try #require(Harness("identity"))
        let element = neighbour.element
        let meter = try #require(StreamMeter(element, pad: "sink"))
        let watch = PropertyWatch(element, "sleep-time", besides: [meter])
        element.set("sleep-time", to: 5)
        #expect(meter.thread == 0 && watch.hasChanged())
        // Only caps and buffers identify the streaming thread, not other events.
        neighbour.push(event: gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM_OOB, gst_structure_new_empty("any")))
        #expect(meter.thread == 0)
        neighbour.begin(caps: "video/x-raw")
        #expect(meter.thread == Worker.currentThread && meter.frames == 0)
        element.set("sleep-time", to: 0)
        #expect(neighbour.play([0], pts: 0) != nil)
        element.set("sleep-time", to: 0)
        #expect(!watch.hasChanged())
        elsewhere { element.set("sleep-time", to: 7) }
        #expect(watch.hasChanged())
    }

    @Test func ignoresItsOwnWriteThatAnotherThreadNotifies() throws {
        let neighbour = try #require(Harness("identity"))
        let element = neighbour.element
        let watch = PropertyWatch(element, "sleep-time")
        // Another thread emits the notification of the write, as if it set another property at the same time.
        g_object_freeze_notify(element.object)
        watch.write { element.set("sleep-time", to: 5) }
        elsewhere { g_object_thaw_notify(element.object) }
        #expect(!watch.hasChanged())
        elsewhere { element.set("sleep-time", to: 7) }
        #expect(watch.hasChanged())
    }

    @Test func disconnectsWhenReleased() throws {
        let neighbour = try #require(Harness("identity"))
        do { _ = PropertyWatch(neighbour.element, "sleep-time") }
        neighbour.element.set("sleep-time", to: 5)
        #expect(neighbour.element.number("sleep-time") == 5)
    }

    private func elsewhere(_ body: @escaping @Sendable () -> Void) { TestThread(body).join() }
}
