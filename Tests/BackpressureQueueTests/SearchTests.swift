import CGStreamer
import GStreamer
import GstTestSupport
import Synchronization
import Testing

/// Tests the search for the element that holds an expired frame, which runs on its own thread.
@Suite struct SearchTests {
    /// When a frame expires, the next frame often replaces it as last sample of the sink before the search begins.
    @Test func lastSampleThatWasReplacedIsFound() {
        let pipeline = Pipeline(
            "videotestsrc is-live=true num-buffers=30 ! video/x-raw,width=16,height=16,framerate=30/1 ! "
                + "backpressurequeue max-in-flight=1 in-flight-timeout=100000000 ! fakesink name=last")
        let posted = pipeline.play()
        #expect(posted.contains { $0.contains("last has kept a frame as its last sample") }, "\(posted)")
    }

    /// An application may release the queue while the search reads properties of other elements.
    @Test func queueIsFreedOnlyAfterTheSearch() throws {
        let rig = QueueRig(
            [("max-in-flight", "1"), ("in-flight-timeout", "1000000"), ("max-size-buffers", "4294967295")])
        #expect(register(Keeper.self, in: .none))
        let keeper = try #require(gst_element_factory_make(Keeper.factoryName, nil))
        gst_object_ref_sink(keeper)
        defer {
            gst_element_set_state(keeper, GST_STATE_NULL)
            gst_object_unref(keeper)
        }
        gst_element_set_state(keeper, GST_STATE_PLAYING)
        gst_element_link(rig.element, keeper)
        rig.play()
        rig.begin(caps: "video/x-raw,format=GRAY8,width=2,height=2,framerate=30/1", format: GST_FORMAT_TIME)
        for _ in 0..<2 { rig.push() }
        #expect(Keeper.search.hasBegun.wait())
        rig.go(GST_STATE_NULL)
        let freed = Freed(rig.object)
        gst_element_unlink(rig.element, keeper)
        _ = consume rig
        #expect(!freed.isTrue)
        Keeper.search.mayEnd.open()
        #expect(eventually { freed.isTrue })
    }
}

/// Records whether an object has been freed.
private final class Freed: Sendable {
    private let flag = Atomic<Bool>(false)
    var isTrue: Bool { flag.load(ordering: .acquiring) }

    init(_ object: UnsafeMutablePointer<GObject>) {
        g_object_weak_ref(
            object,
            { data, _ in
                Unmanaged<Freed>.fromOpaque(data!).takeRetainedValue().flag.store(true, ordering: .releasing)
            }, Unmanaged.passRetained(self).toOpaque())
    }
}

/// A sink that keeps its first frame, and whose property `emit-signals` blocks a reader until the test permits it.
private final class Keeper: ConcurrentElement {
    static let factoryName = "queuetestkeeper"
    static let typeName = "GstQueueTestKeeper"
    static let metadata = ElementMetadata("Keeper", classification: "Sink", description: "Tests", author: "Tests")
    static let padTemplates: [PadTemplate] = [.sink("ANY")]

    struct Settings: ElementSettings {
        typealias Report = Search
        static let properties: [Property<Self>] = [
            .bool("emit-signals", "Waits for the test", reported: { $0.wait() })
        ]
    }

    /// Blocks the thread that reads the property until the test opens `mayEnd`.
    final class Search: Sendable {
        let hasBegun = Latch()
        let mayEnd = Latch()

        func wait() -> Bool {
            hasBegun.open()
            return mayEnd.wait()
        }
    }

    static let search = Search()
    let host: ElementHost
    private let kept = Mutex<GStreamer.Buffer?>(nil)

    init(host: ElementHost) { self.host = host }

    var report: Search { Self.search }

    func chain(_ buffer: consuming GStreamer.Buffer, on pad: borrowing Pad) -> FlowResult {
        let buffer = consume buffer
        kept.withLock { if $0 == nil { $0 = buffer.retained() } }
        return .ok
    }
}
