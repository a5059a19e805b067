import CAllocationCount
import CGStreamer
import GstTestSupport
import SendspinSupport

/// Counts the allocations of a streaming thread for each buffer.
///
/// The program prints the counts for the 80 buffers that follow the first 40 buffers.
enum AllocationCounter {
    /// Counts the allocations between the sink pad and the source pad of `sendspinsync` in front of a virtual DAC.
    static func sync(_ folder: String) throws {
        let server = try FakeServer()
        let pipeline = Pipeline(
            "sendspinsrc name=p uri=\(server.uri) ! sendspinsync name=y ! virtualdac ppm=0 clock-offset=1000000000000")
        let counter = Counter()
        counter.observe(pipeline.element("y"), "sink", isStart: true)
        counter.observe(pipeline.element("y"), "src", isStart: false)
        run(pipeline, server, folder, counter)
    }

    /// Counts the allocations between successive buffers of `sendspinsrc`, in front of a sink that does nothing.
    static func source(_ folder: String) throws {
        let server = try FakeServer()
        let pipeline = Pipeline("sendspinsrc name=p uri=\(server.uri) ! fakesink name=s sync=false")
        let counter = Counter()
        counter.observe(pipeline.element("s"), "sink", isStart: nil)
        run(pipeline, server, folder, counter)
    }

    /// Counts from one buffer to the next at `sendspinsink`, behind a queue that allocates nothing for a buffer.
    static func sink(_ folder: String) throws {
        let server = try FakeServer()
        let pipeline = Pipeline(
            "audiotestsrc is-live=true samplesperbuffer=480 ! audio/x-raw,format=S16LE,rate=48000,channels=2 ! "
                + "queue ! sendspinsink name=p uri=\(server.uri) line-sense=true")
        Playback.start(pipeline, server, folder)
        server.command(.start)
        require(server.wait { ($0.last?.captures.last?.chunks.count ?? 0) > 5 }, "no audio")
        let counter = Counter()
        counter.observe(pipeline.element(), "sink", isStart: nil)
        require(eventually { counter.counts.count >= 120 }, "no audio")
        Playback.finish(pipeline, server)
        print("allocations:", counter.counts[40..<120].map(String.init).joined(separator: " "))
    }

    private static func run(_ pipeline: Pipeline, _ server: FakeServer, _ folder: String, _ counter: Counter) {
        Playback.start(pipeline, server, folder)
        server.play(.pcm(), lead: .milliseconds(700))
        require(eventually { counter.counts.count >= 120 }, "no audio")
        Playback.finish(pipeline, server)
        print("allocations:", counter.counts[40..<120].map(String.init).joined(separator: " "))
    }
}

/// The counts of one streaming thread.
private final class Counter: @unchecked Sendable {  // Only `counts.count` is read before the thread ends.
    private var start: UInt?
    private(set) var counts: [UInt] = []

    init() { counts.reserveCapacity(100_000) }

    /// Counts from the start pad to the other pad, or between successive buffers at `pad` if `isStart` is nil.
    func observe(_ element: RawElement, _ pad: String, isStart: Bool?) {
        let observation = Observation(self, isStart)
        let pad = gst_element_get_static_pad(element, pad)
        gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_BUFFER,
            { _, _, observation in
                Unmanaged<Observation>.fromOpaque(observation!).takeUnretainedValue().fire()
                return GST_PAD_PROBE_OK
            }, Unmanaged.passRetained(observation).toOpaque(), { Unmanaged<Observation>.fromOpaque($0!).release() })
        gst_object_unref(pad)
    }

    private final class Observation {
        let counter: Counter
        let isStart: Bool?

        init(_ counter: Counter, _ isStart: Bool?) { (self.counter, self.isStart) = (counter, isStart) }

        func fire() {
            let now = UInt(allocation_count_of_thread())
            if isStart != true, let start = counter.start { counter.counts.append(now - start) }
            counter.start = isStart == false ? nil : now
        }
    }
}
