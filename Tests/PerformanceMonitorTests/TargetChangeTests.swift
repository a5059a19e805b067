import CGStreamer
import Foundation
import GstTestSupport
import Testing

/// Tests changes of the targets while the pipeline plays.
@Suite(.serialized) struct TargetChangeTests {
    /// A stream of 60 frames/s; `target` requires 600 frames/s, so the monitor raises an alert after 2 s.
    private static let line =
        "videotestsrc is-live=true ! capsfilter caps=video/x-raw,framerate=60/1,width=32,height=32 ! identity name=i ! fakesink name=s perfmonitor name=m report=none "
    private static let target = "i: rate=600, window=1s, samples=1"

    @Test(arguments: [
        ("i: p95=soon", "column 8: p95 is \"soon\""), ("i: p96=20ms", "column 4: \"p96\""), ("i", "column "),
        ("s: rate=30; i: rate=600x", "column "),
    ])
    func unreadableTextIsOneWarningWithItsPlaceAndTheOldTargetsStay(text: String, fault: String) {
        let pipeline = Pipeline(Self.line)
        pipeline.element("m").set(string: "targets", to: Self.target)
        #expect(pipeline.go(GST_STATE_PLAYING))
        pipeline.element("m").set(string: "targets", to: text)
        var posted: [String] = []
        let isRaised = eventually {
            posted += pipeline.listen(seconds: 0)
            return posted.contains { $0.contains("change=(string)raised") }
        }
        #expect(isRaised, "the old target must still be checked")
        pipeline.end()
        let warnings = posted.filter { !$0.hasPrefix("element: performance-alert") }
        #expect(warnings.count == 1)
        #expect(warnings.first?.hasPrefix("warning: The targets cannot be read: \(fault)") == true, "\(warnings)")
        let kept = pipeline.get("targets", of: "m").filter { $0 != "\\" && $0 != "\"" }
        #expect(kept == Self.target)
    }

    @Test func newTargetsReplaceTheOldOnesAndClearTheirAlerts() {
        let pipeline = Pipeline(Self.line)
        pipeline.element("m").set(string: "targets", to: Self.target)
        #expect(pipeline.go(GST_STATE_PLAYING))
        var posted: [String] = []
        func isPosted(_ part: String) -> Bool {
            eventually {
                posted += pipeline.listen(seconds: 0)
                return posted.contains { $0.contains(part) }
            }
        }
        #expect(isPosted("change=(string)raised"))
        pipeline.element("m").set(string: "targets", to: "i: rate=1, window=1s, samples=1")
        #expect(isPosted("change=(string)cleared"))
        #expect(eventually { !pipeline.get("alerts", of: "m").contains("alert-0") })
        let count = posted.count
        let frames = pipeline.figure("s", "in") ?? 0
        // 240 frames take 4 s, which is longer than the 2 s until the first alert.
        #expect(eventually { pipeline.figure("s", "in") ?? 0 > frames + 240 })
        #expect(pipeline.listen(seconds: 0) == [] && posted.count == count)
        pipeline.end()
    }

    /// The changes, `raised` or `cleared`, that messages about alerts report, in the order of the messages.
    private static func changes(_ posted: [String]) -> [String] {
        posted.filter { $0.hasPrefix("element: performance-alert") }
            .map { $0.contains("change=(string)raised") ? "raised" : "cleared" }
    }

    /// A program may lower its targets as soon as it receives a request to reduce the quality.
    @Test func anAlertIsRaisedBeforeItIsClearedIfItsRequestReplacesTheTargets() {
        let pipeline = Pipeline(Self.line + "act=vote")
        pipeline.element("m").set(string: "targets", to: Self.target)
        let pad = gst_element_get_static_pad(pipeline.element("i"), "sink")!
        gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
            { _, info, monitor in
                let event = UnsafeMutableRawPointer(info!.pointee.data)!.assumingMemoryBound(to: GstEvent.self)
                if let structure = gst_event_get_structure(event),
                    gst_structure_has_name(structure, "quality-degrade") != 0
                {
                    monitor!.assumingMemoryBound(to: GstElement.self)
                        .set(string: "targets", to: "i: rate=1, window=1s, samples=1")
                }
                return GST_PAD_PROBE_OK
            }, pipeline.element("m"), nil)
        gst_object_unref(pad)
        #expect(pipeline.go(GST_STATE_PLAYING))
        var posted: [String] = []
        let isCleared = eventually {
            posted += pipeline.listen(seconds: 0)
            return posted.contains { $0.contains("change=(string)cleared") }
        }
        #expect(isCleared)
        let frames = pipeline.figure("s", "in") ?? 0
        // 90 frames take 1.5 s, which is longer than the second between two rounds of the monitor.
        #expect(eventually { pipeline.figure("s", "in") ?? 0 > frames + 90 })
        posted += pipeline.listen(seconds: 0)
        pipeline.end()
        #expect(Self.changes(posted) == ["raised", "cleared"], "\(posted)")
    }

    /// A program may replace the targets as soon as it receives the first of two messages.
    @Test func allAlertsOfARoundAreRaisedBeforeTheyAreClearedIfOneReplacesTheTargets() {
        let pipeline = Pipeline(Self.line)
        pipeline.element("m").set(string: "targets", to: "\(Self.target); s: rate=600, window=1s, samples=1")
        let bus = gst_element_get_bus(pipeline.raw)
        gst_bus_set_sync_handler(
            bus,
            { _, message, monitor in
                if let structure = gst_message_get_structure(message),
                    gst_structure_has_name(structure, "performance-alert") != 0
                {
                    monitor!.assumingMemoryBound(to: GstElement.self)
                        .set(string: "targets", to: "i: rate=1, window=1s, samples=1")
                }
                return GST_BUS_PASS
            }, pipeline.element("m"), nil)
        #expect(pipeline.go(GST_STATE_PLAYING))
        var changes: [String] = []
        let areCleared = eventually {
            changes += Self.changes(pipeline.listen(seconds: 0))
            return changes.count >= 4
        }
        pipeline.end()
        gst_bus_set_sync_handler(bus, nil, nil, nil)
        gst_object_unref(bus)
        #expect(areCleared && changes == ["raised", "raised", "cleared", "cleared"], "\(changes)")
    }
}
