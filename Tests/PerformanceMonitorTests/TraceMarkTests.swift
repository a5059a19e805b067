import Foundation
import GstTestSupport
import Testing

@testable import TestSupport

/// Tests the marks of this plugin's elements in a `trace-file`, with `gst-launch-1.0` and `plugin-build/build`.
@Suite struct TraceMarkTests {
    /// Four streams that begin 100 s apart, so the running time of a frame identifies its stream.
    private static let lines = [
        """
        videotestsrc name=camera num-buffers=100 ! video/x-raw,format=I420 \
        ! backpressurequeue name=q max-size-buffers=2 max-size-bytes=0 max-size-time=0 \
        ! videoconvert ! video/x-raw,format=BGRx ! adaptivepool ! ntscfilter ! thermalcaps forced-level=serious \
        ! identity sleep-time=2000 ! fakesink name=display
        """,
        """
        videotestsrc name=fast num-buffers=100 timestamp-offset=100000000000 ! adaptivepool max-buffers=2 \
        ! queue ! identity sleep-time=2000 ! fakesink
        """,
        """
        videotestsrc num-buffers=100 timestamp-offset=200000000000 \
        ! backpressurequeue leaky=downstream max-size-buffers=1 ! identity sleep-time=3000 ! fakesink
        """,
        """
        videotestsrc num-buffers=20 timestamp-offset=300000000000 ! identity drop-allocation=true \
        ! adaptivepool force=true ! queue ! identity sleep-time=2000 ! fakesink
        """,
    ]

    private static let trace = Result { try recorded() }

    private static func recorded() throws -> DecodedTrace {
        let file = Setup.newFolder().appending(path: "marks.pftrace")
        let line = lines.joined(separator: " ").split(separator: " ").map(String.init)
        // The tracer starts to record before the first frame; the element `perfmonitor` starts after the sources.
        let run = try ProgramRun(
            "gst-launch-1.0", ["-q"] + line,
            ["GST_TRACERS": "perfmonitor-tracer(report=none,trace-file=\(file.path))"])
        try #require(run.status == 0)
        let trace = try DecodedTrace([UInt8](Data(contentsOf: file)))
        try #require(trace.events("trace.lost").isEmpty)
        return trace
    }

    /// Number of events of the mark `name` for each stream; the key is nil for events that have no running time.
    private static func streams(_ name: String) throws -> [Int?: Int] {
        let events = try trace.get().events(name).filter { $0.kind != 2 }
        return Dictionary(grouping: events) { event in
            event.notes["running-time"].flatMap { UInt64($0) }.map { Int($0 / 100_000_000_000) }
        }.mapValues(\.count)
    }

    // MARK: Tests

    @Test func everyMarkIsRecordedWithTheFrameThatItBelongsTo() throws {
        #expect(try Self.streams("ntsc.process") == [0: 100])
        #expect(try Self.streams("pool.fill") == [0: 100, 1: 100, 3: 20])
        #expect(try Self.streams("pool.copy") == [3: 20])
        // A source acquires a buffer before it sets the frame's PTS.
        #expect(try Self.streams("pool.acquire") == [0: 100, 3: 20, nil: 100])
        let waits = try Self.streams("queue.wait")
        #expect(try Set(waits.keys) == [0] && #require(waits[0]) > 50)
        let (pushes, drops) = try (Self.streams("queue.push"), Self.streams("queue.drop"))
        #expect(try pushes[0] == 100 && #require(pushes[2]) + #require(drops[2]) == 100 && drops.count == 1)
        #expect(try #require(Self.streams("pool.grow")[3]) > 0 && #require(Self.streams("pool.wait")[nil]) > 50)
        #expect(try #require(Self.streams("thermal.round")[nil]) > 0)
        let trace = try Self.trace.get()
        // `thermalcaps` applies its step again when other caps arrive.
        #expect(Set(trace.events("thermal.step").map { $0.notes["value"] }) == ["3"])
        let level = try #require(trace.track("thermal.level"))
        #expect(trace.events.filter { $0.track == level }.last?.counterValue == 3)
    }

    @Test func spansLieOnTheThreadThatSpendsTheTime() throws {
        let trace = try Self.trace.get()
        let slices = try trace.slices()
        func threads(_ name: String) -> Set<String?> {
            Set(slices.filter { $0.name == name }.map { trace.tracks[$0.track]?.name })
        }
        #expect(threads("ntsc.process") == ["q:src"] && threads("queue.wait") == ["camera:src"])
        #expect(threads("pool.wait").contains("fast:src") && threads("thermal.round").count == 1)
        #expect(threads("thermal.round").isDisjoint(with: ["q:src", "camera:src", "fast:src"]))
        for (inner, outer) in [
            ("ntsc.process", "queue.push"), ("pool.wait", "pool.acquire"), ("pool.grow", "pool.acquire"),
        ] {
            let around = slices.filter { $0.name == outer }
            for slice in slices where slice.name == inner {
                #expect(
                    around.contains {
                        $0.track == slice.track && $0.start <= slice.start && slice.end <= $0.end
                            && $0.depth < slice.depth
                    }, "\(inner)")
            }
        }
    }

    @Test func durationsAreThoseOfTheWork() throws {
        let slices = try Self.trace.get().slices()
        func sum(_ name: String) -> UInt64 {
            slices.filter { $0.name == name }.map { $0.end - $0.start }.reduce(0, +)
        }
        // Each push to `display` takes the 2 ms of `identity` and the time of `ntscfilter`.
        let pushes = slices.filter { slice in
            slice.name == "queue.push" && slices.contains { $0.name == "ntsc.process" && $0.track == slice.track }
        }
        // `thermalcaps` may drop a frame when it takes other caps.
        #expect(pushes.count == 100 && pushes.count { $0.end - $0.start >= 2_000_000 } >= 95)
        #expect(sum("ntsc.process") + 190_000_000 <= pushes.map { $0.end - $0.start }.reduce(0, +))
        // Sources that are faster than their sinks wait nearly all of the time.
        #expect(sum("queue.wait") >= 100_000_000 && sum("pool.wait") >= 100_000_000)
    }

    @Test func arrowsLeadFromTheSourceThroughOurElementsToTheSink() throws {
        let flows = try Self.trace.get().flows().flows.values
        let filtered = flows.filter { $0.contains("ntsc.process") }
        let way = ["camera", "queue.push", "pool.acquire", "pool.fill", "ntsc.process", "display"]
        // `thermalcaps` may drop a frame when it takes other caps.
        let shown = filtered.filter { $0.contains("display") }
        #expect(filtered.count == 100 && shown.count >= 95)
        for flow in filtered { #expect(flow.filter(way.dropLast().contains) == way.dropLast(), "\(flow)") }
        for flow in shown { #expect(flow.filter(way.contains) == way && flow.last == "display", "\(flow)") }
        #expect(shown.count { $0.contains("queue.wait") } > 50)
        let copied = flows.filter { $0.contains("pool.copy") }
        #expect(copied.count == 20 && copied.allSatisfy { $0.contains("pool.acquire") && $0.contains("pool.fill") })
        #expect(flows.count { $0.first == "pool.fill" && $0.contains("fast") } == 100)
    }
}
