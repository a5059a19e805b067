import CGStreamer
import Testing

@testable import GStreamer
@testable import SwiftVideoPlugin

/// What the element answers, asked without a pipeline.
@Suite struct OfferTests {
    /// The pool that upstream is offered when downstream asks for two buffers, and the most that it may have.
    private func offer(
        by element: inout AdaptivePool
    ) -> (pool: UnsafeMutablePointer<GstBufferPool>?, maximum: guint) {
        let caps = gst_caps_from_string("video/x-raw,format=BGRx,width=16,height=16,framerate=25/1")
        let query = gst_query_new_allocation(caps, 1)!
        defer {
            gst_query_unref(query)
            gst_caps_unref(caps)
        }
        gst_query_add_allocation_pool(query, nil, 1024, 2, 0)
        if let query = AllocationQuery(query) { element.allocationAsked(query) }
        var pool: UnsafeMutablePointer<GstBufferPool>?
        var maximum: guint = 0
        gst_query_parse_nth_allocation_pool(query, 0, &pool, nil, nil, &maximum)
        return (pool, maximum)
    }

    private func makeHost() -> UnsafeMutablePointer<GstElement> {
        _ = Setup.once
        let raw = gst_element_factory_make("identity", nil)!
        gst_object_ref_sink(raw)
        return raw
    }

    @Test(arguments: [(0, 0), (1, 2), (9, 9)])
    func theStockPoolHasNoLimitWhenThereIsNone(property: UInt32, expected: guint) throws {
        let host = makeHost()
        defer { gst_object_unref(host) }
        var settings = AdaptivePoolSettings()
        settings.isEnabled = false
        settings.maximum = property
        var element = AdaptivePool(host: ElementHost(raw: UnsafeMutableRawPointer(host)))
        try element.start(LiveSettings(fixed: settings))
        let (pool, maximum) = offer(by: &element)
        gst_object_unref(pool)
        #expect(maximum == expected)
    }

    /// The element's pool tells its report, and the report remembers the pool.
    @Test(arguments: [false, true]) func nothingOfAnElementOutlivesIt(isActivatedLate: Bool) throws {
        let host = makeHost()
        defer { gst_object_unref(host) }
        weak var report: AdaptivePoolReport?
        var kept: UnsafeMutablePointer<GstBufferPool>?
        do {
            var element = AdaptivePool(host: ElementHost(raw: UnsafeMutableRawPointer(host)))
            report = element.report
            try element.start(LiveSettings(fixed: AdaptivePoolSettings()))
            kept = offer(by: &element).pool
            if !isActivatedLate { try activate(kept) }
            element.stop()
        }
        if isActivatedLate { try activate(kept) }
        #expect(report != nil)
        gst_object_unref(kept)
        // The pool's own thread may be about to end.
        for _ in 0..<5000 where report != nil { g_usleep(1000) }
        #expect(report == nil)
    }

    private func activate(_ pool: UnsafeMutablePointer<GstBufferPool>?) throws {
        let pool = try #require(pool)
        let config = gst_buffer_pool_get_config(pool)
        gst_buffer_pool_config_set_params(config, nil, 1024, 2, 0)
        #expect(gst_buffer_pool_set_config(pool, config) != 0)
        #expect(gst_buffer_pool_set_active(pool, 1) != 0)
    }
}
