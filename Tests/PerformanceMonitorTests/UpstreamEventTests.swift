import CGStreamer
import GStreamer
import GstTestSupport
import MonitorEngine
import Testing

/// Tests events that the monitor sends upstream.
@Suite struct UpstreamEventTests {
    @Test func anEventIsSentFromOneElementOrFromAllSinks() throws {
        let pipeline = Pipeline("videotestsrc is-live=true ! identity name=i ! fakesink name=s")
        #expect(pipeline.go(GST_STATE_PLAYING))
        let host = ElementHost(unsafe: pipeline.element("i"))
        let created = host.outermostBin.map { PipelineTap($0, isWatched: { _ in true }) }
        let tap = try #require(created)
        tap.start()
        let element = try #require(tap.elements.present.first { $0.record.name == "i" })
        let (before, behind) = (
            RequestCount(pipeline, "i", reason: "test"), RequestCount(pipeline, "s", reason: "test")
        )
        let request = Structure("quality-degrade", ["reason": .string("test")])
        tap.sendUpstream(request, from: element.id)
        #expect(before.count == 1 && behind.count == 0)
        tap.sendUpstream(request, from: nil)
        #expect(before.count == 2 && behind.count == 1)
        // No element has the id -1, as after the removal of an element.
        tap.sendUpstream(request, from: -1)
        #expect(before.count == 2 && behind.count == 1)
        tap.stop()
        pipeline.end()
    }
}
