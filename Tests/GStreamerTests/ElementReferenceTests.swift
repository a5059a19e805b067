import CGStreamer
import CGStreamerCheck
import Foundation
import Testing

@testable import GStreamer

/// What can be seen and set of another element.
@Suite struct ElementReferenceTests {
    /// An `identity` in a harness.
    private final class Neighbour {
        let harness: UnsafeMutablePointer<GstHarness>
        let element: ElementReference

        init() {
            _ = Setup.once
            harness = gst_harness_new("identity")!
            element = ElementReference(harness.pointee.element)
        }

        deinit { gst_harness_teardown(harness) }

        func push(milliseconds: Int, bytes: Int = 100) {
            let buffer = gst_harness_create_buffer(harness, gsize(bytes))!
            buffer.pointee.pts = milliseconds < 0 ? .max : GstClockTime(milliseconds) * 1_000_000
            gst_harness_push(harness, buffer)
        }
    }

    @Test func aMeterCountsTheTimeThatWasShown() throws {
        let neighbour = Neighbour()
        gst_harness_set_src_caps_str(neighbour.harness, "video/x-raw")
        let meter = try #require(neighbour.element.measure("src"))
        // Two frames are shown in another order than they come in; one has no time.
        for time in [1000, 1040, 1120, 1080, -1, 1160] { neighbour.push(milliseconds: time) }
        #expect(meter.nanoseconds == 160_000_000 && meter.frames == 6 && meter.bytes == 600)
        // A pause, a jump back, and a jump forward.
        for time in [60_000, 60_040, 0, 40, 90_000] { neighbour.push(milliseconds: time) }
        #expect(meter.nanoseconds == 240_000_000 && meter.frames == 11)
        #expect(neighbour.element.measure("nothing") == nil)
    }

    @Test func numbersAreReadAndWrittenAsTheyAre() {
        let neighbour = Neighbour()
        let element = neighbour.element
        element.set("sleep-time", to: 12.9)
        #expect(element.number("sleep-time") == 12 && element.text("sleep-time") == "12")
        element.set("drop-probability", to: Double(Float(0.1)))
        #expect(element.number("drop-probability") == Double(Float(0.1)))
        element.set("sleep-time", to: 1e30)
        element.set("sleep-time", to: .nan)
        element.set("no-such", to: 1)
        #expect(element.number("sleep-time") == Double(UInt32.max))
        #expect(element.number("no-such") == nil && element.number("name") == nil && element.text("no-such") == nil)
        // -1, for never.
        #expect(element.number("error-after") == nil && element.text("error-after") == "-1")
        #expect(element.control("field", in: "sleep-time") == nil && element.driverControl(1) == nil)
        #expect(!element.isFixed("sleep-time") && !element.isFixed("no-such"))
    }

    @Test func aWatchTellsOthersFromOneself() {
        let neighbour = Neighbour()
        let element = neighbour.element
        let watch = PropertyWatch(element, "sleep-time")
        #expect(!watch.hasChanged())
        watch.write { element.set("sleep-time", to: 5) }
        #expect(!watch.hasChanged())
        elsewhere { element.set("sleep-time", to: 5) }
        #expect(watch.hasChanged() && !watch.hasChanged())
        elsewhere { element.set("drop-probability", to: 0) }
        #expect(!watch.hasChanged())
        // The same thread, when it is not writing for the watch.
        element.set("sleep-time", to: 6)
        #expect(watch.hasChanged())
    }

    @Test func whatAnElementChoosesOnItsStreamIsNobodyElses() throws {
        let neighbour = Neighbour()
        let element = neighbour.element
        let meter = try #require(element.measure("sink"))
        let watch = PropertyWatch(element, "sleep-time", besides: [meter])
        element.set("sleep-time", to: 5)
        #expect(meter.thread == 0 && watch.hasChanged())
        // An event that is not of the stream makes nobody its thread; caps do, and frames.
        gst_harness_push_event(
            neighbour.harness, gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM_OOB, gst_structure_new_empty("any")))
        #expect(meter.thread == 0)
        gst_harness_set_src_caps_str(neighbour.harness, "video/x-raw")
        #expect(meter.thread == Background.currentThread && meter.frames == 0)
        element.set("sleep-time", to: 0)
        neighbour.push(milliseconds: 0)
        element.set("sleep-time", to: 0)
        #expect(!watch.hasChanged())
        elsewhere { element.set("sleep-time", to: 7) }
        #expect(watch.hasChanged())
    }

    @Test func aWriteThatAnotherThreadTellsOfIsStillOnesOwn() {
        let neighbour = Neighbour()
        let element = neighbour.element
        let watch = PropertyWatch(element, "sleep-time")
        // Somebody sets another property at the same moment.
        g_object_freeze_notify(element.object)
        watch.write { element.set("sleep-time", to: 5) }
        elsewhere { g_object_thaw_notify(element.object) }
        #expect(!watch.hasChanged())
        elsewhere { element.set("sleep-time", to: 7) }
        #expect(watch.hasChanged())
    }

    @Test func aWatchEndsBeforeWhatItWatches() {
        let neighbour = Neighbour()
        do { _ = PropertyWatch(neighbour.element, "sleep-time") }
        neighbour.element.set("sleep-time", to: 5)
        #expect(neighbour.element.number("sleep-time") == 5)
    }

    private func elsewhere(_ body: @escaping @Sendable () -> Void) {
        let group = DispatchGroup()
        DispatchQueue(label: "elsewhere").async(group: group) { body() }
        group.wait()
    }
}
