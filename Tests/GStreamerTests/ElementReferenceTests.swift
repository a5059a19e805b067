import CGStreamer
import CGStreamerCheck
import GstTestSupport
import Testing

@testable import GStreamer

/// Tests of reading and writing properties of another element.
@Suite struct ElementReferenceTests {
    /// An `identity` in a harness.
    private final class Neighbour {
        let harness: UnsafeMutablePointer<GstHarness>
        let element: ElementReference

        init() {
            _ = TestElements.once
            harness = gst_harness_new("identity")!
            element = ElementReference(harness.pointee.element)
        }

        deinit { gst_harness_teardown(harness) }
    }

    @Test func readsAndWritesNumericPropertiesOfOtherElements() {
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
        // The value is -1.
        #expect(element.number("error-after") == nil && element.text("error-after") == "-1")
    }

}
