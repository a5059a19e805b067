import CGStreamer
import CGStreamerCheck
import GstTestSupport
import Testing

@testable import AdaptivePool
@testable import GStreamer

/// Tests the element's answers to ALLOCATION queries, without a pipeline.
@Suite struct OfferTests {
    /// The pool that the element answers when downstream requires two buffers, and the minimum and maximum of the pool.
    private func offer(
        by element: inout AdaptivePool,
        for caps: String = "video/x-raw,format=BGRx,width=16,height=16,framerate=25/1"
    ) -> (pool: UnsafeMutablePointer<GstBufferPool>?, minimum: guint, maximum: guint) {
        let caps = gst_caps_from_string(caps)
        let query = gst_query_new_allocation(caps, 1)!
        defer {
            gst_query_unref(query)
            gst_caps_unref(caps)
        }
        gst_query_add_allocation_pool(query, nil, 1024, 2, 0)
        var isAnswered = false
        isAnswered = element.proposeAllocation(AllocationQuery(query))
        var pool: UnsafeMutablePointer<GstBufferPool>?
        var (minimum, maximum): (guint, guint) = (0, 0)
        gst_query_parse_nth_allocation_pool(query, 0, &pool, nil, &minimum, &maximum)
        #expect(isAnswered == (pool != nil))
        return (pool, minimum, maximum)
    }

    private func makeHost() -> UnsafeMutablePointer<GstElement> {
        _ = Setup.once
        let raw = gst_element_factory_make("identity", nil)!
        gst_object_ref_sink(raw)
        return raw
    }

    @Test(arguments: [(-1, 2, 0), (0, 2, 0), (1, 2, 2), (9, 9, 9)])
    func stockPoolIsFixedUnlessThereIsNoLimit(property: Int32, least: guint, most: guint) throws {
        let host = makeHost()
        defer { gst_object_unref(host) }
        var settings = AdaptivePoolSettings()
        settings.isEnabled = false
        settings.maximum = property
        var element = AdaptivePool(host: ElementHost(unsafe: host))
        try element.start(LiveSettings(fixed: settings))
        let (pool, minimum, maximum) = offer(by: &element)
        gst_object_unref(pool)
        #expect((minimum, maximum) == (least, most))
    }

    @Test(arguments: [
        ("video/x-raw", true), ("video/x-raw(memory:SystemMemory)", true),
        ("video/x-raw(meta:GstVideoOverlayComposition)", true),
        ("video/x-raw(memory:SystemMemory, meta:GstVideoOverlayComposition)", true),
        ("video/x-raw(format:Interlaced),interlace-mode=alternate", true), ("video/x-raw(memory:DMABuf)", false),
        ("video/x-raw(memory:GLMemory, meta:GstVideoOverlayComposition)", false), ("video/x-raw(ANY)", false),
        ("image/jpeg", false),
    ])
    func servesSystemMemoryWithAnyOtherCapsFeature(caps: String, isServed: Bool) throws {
        let host = makeHost()
        defer { gst_object_unref(host) }
        var element = AdaptivePool(host: ElementHost(unsafe: host))
        try element.start(LiveSettings(fixed: AdaptivePoolSettings()))
        let pool = offer(by: &element, for: "\(caps),format=BGRx,width=16,height=16,framerate=25/1").pool
        #expect((pool != nil) == isServed)
        if let pool { gst_object_unref(pool) }
    }

    /// Downstream requires a prefix of 32 bytes.
    @Test func copiesHaveTheLayoutThatDownstreamRequires() throws {
        let harness = try #require(Harness(line: "adaptivepool force=true"))
        var parameters = GstAllocationParams()
        parameters.prefix = 32
        gst_harness_set_propose_allocator(harness.raw, nil, &parameters)
        harness.begin(caps: "video/x-raw,format=BGRx,width=16,height=16,framerate=25/1")
        #expect(harness.push(gst_buffer_new_allocate(nil, 1024, nil)) == GST_FLOW_OK)
        let copy = try #require(harness.pullRaw())
        var offset: gsize = 0
        gst_memory_get_sizes(gst_buffer_peek_memory(copy, 0), &offset, nil)
        #expect(offset == 32)
        gst_buffer_unref(copy)
    }

    /// The query fails if downstream does not answer and the element has no pool to offer.
    @Test(arguments: [
        ("adaptivepool", "video/x-raw,format=BGRx,width=16,height=16,framerate=25/1", true),
        (
            "adaptivepool ! identity drop-allocation=true", "video/x-raw,format=BGRx,width=16,height=16,framerate=25/1",
            true
        ),
        ("adaptivepool", "audio/x-raw,format=S16LE,rate=8000,channels=1,layout=interleaved", true),
        (
            "adaptivepool ! identity drop-allocation=true",
            "audio/x-raw,format=S16LE,rate=8000,channels=1,layout=interleaved", false
        ),
    ])
    func answersTheAllocationQueryWithoutDownstream(line: String, caps: String, isAnswered: Bool) throws {
        let harness = try #require(Harness(line: line, caps: caps))
        let parsed = gst_caps_from_string(caps)
        let query = gst_query_new_allocation(parsed, 1)
        gst_caps_unref(parsed)
        defer { gst_query_unref(query) }
        #expect((gst_pad_peer_query(harness.raw.pointee.srcpad, query) != 0) == isAnswered)
        #expect((gst_query_get_n_allocation_pools(query) > 0) == caps.hasPrefix("video"))
    }

    /// The pool and the report reference each other until the element is freed.
    @Test(arguments: [false, true]) func reportIsFreedWithItsElement(isActivatedLate: Bool) throws {
        let host = makeHost()
        defer { gst_object_unref(host) }
        weak var report: AdaptivePoolReport?
        var kept: UnsafeMutablePointer<GstBufferPool>?
        do {
            var element = AdaptivePool(host: ElementHost(unsafe: host))
            report = element.report
            try element.start(LiveSettings(fixed: AdaptivePoolSettings()))
            kept = offer(by: &element).pool
            if !isActivatedLate { try activate(kept) }
            element.stop()
        }
        if isActivatedLate { try activate(kept) }
        #expect(report != nil)
        gst_object_unref(kept)
        // The thread of the governor may hold a reference to the report for a short time.
        #expect(eventually { report == nil })
    }

    private func activate(_ pool: UnsafeMutablePointer<GstBufferPool>?) throws {
        let pool = try #require(pool)
        let config = gst_buffer_pool_get_config(pool)
        gst_buffer_pool_config_set_params(config, nil, 1024, 2, 0)
        #expect(gst_buffer_pool_set_config(pool, config) != 0)
        #expect(gst_buffer_pool_set_active(pool, 1) != 0)
    }
}
