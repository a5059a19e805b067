import CGStreamer
import GStreamerTesting
import GstTestSupport
import Testing

@testable import GStreamer

/// Tests the typed contents of queries and events.
@Suite struct ContentsTests {
    init() throws { try #require(TestElements.areRegistered) }

    private let time = FormattedValue(.milliseconds(40))
    private let bytes = FormattedValue(.bytes, 7)

    // MARK: Queries

    private func every() -> [(Query.Kind, UnsafeMutablePointer<GstQuery>)] {
        let caps = gst_caps_new_empty_simple("application/x-test")
        defer { gst_caps_unref(caps) }
        return [
            (.position, gst_query_new_position(GST_FORMAT_TIME)), (.duration, gst_query_new_duration(GST_FORMAT_TIME)),
            (.latency, gst_query_new_latency()), (.seeking, gst_query_new_seeking(GST_FORMAT_TIME)),
            (.segment, gst_query_new_segment(GST_FORMAT_TIME)),
            (.conversion, gst_query_new_convert(GST_FORMAT_TIME, 1, GST_FORMAT_BYTES)),
            (.formats, gst_query_new_formats()), (.buffering, gst_query_new_buffering(GST_FORMAT_PERCENT)),
            (.custom, gst_query_new_custom(GST_QUERY_CUSTOM, gst_structure_new_empty("test"))),
            (.uri, gst_query_new_uri()), (.allocation, gst_query_new_allocation(caps, 0)),
            (.scheduling, gst_query_new_scheduling()), (.acceptCaps, gst_query_new_accept_caps(caps)),
            (.caps, gst_query_new_caps(caps)), (.drain, gst_query_new_drain()),
            (.context, gst_query_new_context("test")),
            (.bitrate, gst_query_new_bitrate()),
        ]
    }

    @Test func eachQueryHasItsKindAndOnlyItsContents() {
        #expect(Set(every().map(\.0)).count == 17)
        let warnings = loggedWarnings {
            for (kind, raw) in every() {
                let query = Query(taking: raw)
                #expect(query.kind == kind)
                #expect(
                    (query.position != nil) == (kind == .position) && (query.duration != nil) == (kind == .duration))
                #expect((query.latency != nil) == (kind == .latency) && (query.seeking != nil) == (kind == .seeking))
                #expect((query.segment != nil) == (kind == .segment) && (query.capsFilter != nil) == (kind == .caps))
                query.position = time
                query.duration = time
                query.latency = (true, .zero, nil)
                query.seeking = (true, time, time)
                query.segment = (1, time, time)
                query.capsResult = Caps("ANY")
                #expect(query.position == (kind == .position ? time : nil))
                #expect(query.duration == (kind == .duration ? time : nil))
            }
        }
        #expect(warnings == [])
    }

    @Test func answerInAnotherFormatIsNotWritten() {
        let warnings = loggedWarnings {
            let position = Query.position(in: .bytes)
            position.position = time
            #expect(position.position == FormattedValue(.bytes, nil))
            position.position?.time = .seconds(1)
            #expect(position.position == FormattedValue(.bytes, nil))
            let duration = Query.duration()
            duration.duration = bytes
            #expect(duration.duration == FormattedValue(nil))
            let seeking = Query.seeking()
            seeking.seeking = (true, time, bytes)
            #expect(seeking.seeking?.isSeekable == false)
        }
        #expect(warnings == [])
    }

    /// A source answers the peer queries of the harness.
    @Test func queriesOfAnElementAreAnsweredByItsPeer() throws {
        let pipeline = Pipeline("swifttestnumbers count=5 ! fakesink name=sink sync=false")
        #expect(pipeline.go(GST_STATE_PAUSED))
        guard let pad = ElementHost(unsafe: pipeline.element("sink")).pad("sink") else { return #expect(Bool(false)) }
        func answer(_ query: borrowing Query) -> Bool { pad.queryPeer(query) }
        let duration = Query.duration()
        let seeking = Query.seeking()
        let segment = Query.segment()
        let position = Query.position()
        let answers = [answer(duration), answer(seeking), answer(segment), answer(position)]
        #expect(answers == [true, true, true, true])
        #expect(duration.duration?.time == .milliseconds(200) && position.position?.time != nil)
        #expect(seeking.seeking?.isSeekable == true && seeking.seeking?.start.time == .zero)
        #expect(seeking.seeking?.stop.time == .milliseconds(200))
        #expect(segment.segment?.rate == 1 && segment.segment?.start.time == .zero)
    }

    @Test func formattedValuesClampTimesAndKeepUnknownOnes() {
        #expect(FormattedValue(.seconds(Int64.max / 1_000)).value == .max)
        #expect(FormattedValue(.seconds(-1)).value == -1_000_000_000 && FormattedValue(nil).raw == -1)
        #expect(FormattedValue(GST_FORMAT_BYTES, -1).value == nil && bytes.time == nil)
        var value = bytes
        value.time = .seconds(1)
        #expect(value == bytes)
    }

    // MARK: Events

    private func everyEvent() -> [(Event.Kind, UnsafeMutablePointer<GstEvent>)] {
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        let caps = gst_caps_new_empty_simple("application/x-test")
        let message = gst_message_new_eos(nil)
        let contents = gst_toc_new(GST_TOC_SCOPE_GLOBAL)
        let streams = gst_stream_collection_new(nil)
        let (system, buffer) = ("a", gst_buffer_new())
        let names = g_list_append(nil, g_strdup("a"))
        defer {
            gst_caps_unref(caps)
            gst_message_unref(message)
            gst_mini_object_unref(UnsafeMutableRawPointer(contents)?.assumingMemoryBound(to: GstMiniObject.self))
            gst_object_unref(streams)
            gst_buffer_unref(buffer)
            g_list_free_full(names) { g_free($0) }
        }
        func custom(_ type: GstEventType) -> UnsafeMutablePointer<GstEvent> {
            gst_event_new_custom(type, gst_structure_new_empty("test"))
        }
        return [
            (.flushStart, gst_event_new_flush_start()), (.flushStop, gst_event_new_flush_stop(1)),
            (.streamStart, gst_event_new_stream_start("a")), (.caps, gst_event_new_caps(caps)),
            (.segment, gst_event_new_segment(&segment)), (.streamCollection, gst_event_new_stream_collection(streams)),
            (.tags, gst_event_new_tag(gst_tag_list_new_empty())),
            (.bufferSize, gst_event_new_buffer_size(GST_FORMAT_BYTES, 1, 2, 0)),
            (.sinkMessage, gst_event_new_sink_message("a", message)),
            (.streamGroupDone, gst_event_new_stream_group_done(1)),
            (.endOfStream, gst_event_new_eos()), (.tableOfContents, gst_event_new_toc(contents, 0)),
            (.protection, gst_event_new_protection(system, buffer, "a")),
            (.segmentDone, gst_event_new_segment_done(GST_FORMAT_TIME, 1)), (.gap, gst_event_new_gap(1, 2)),
            (.instantRateChange, gst_event_new_instant_rate_change(2, GST_SEGMENT_FLAG_NONE)),
            (.qualityOfService, gst_event_new_qos(GST_QOS_TYPE_THROTTLE, 1, 2, 3)),
            (
                .seek,
                gst_event_new_seek(
                    1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, -1)
            ),
            (.navigation, gst_event_new_navigation(gst_structure_new_empty("test"))),
            (.latency, gst_event_new_latency(1)),
            (.step, gst_event_new_step(GST_FORMAT_TIME, 1, 1, 1, 0)), (.reconfigure, gst_event_new_reconfigure()),
            (.tableOfContentsSelect, gst_event_new_toc_select("a")),
            (.selectStreams, gst_event_new_select_streams(names)),
            (.instantRateSyncTime, gst_event_new_instant_rate_sync_time(2, 1, 1)),
            (.customUpstream, custom(GST_EVENT_CUSTOM_UPSTREAM)),
            (.customDownstream, custom(GST_EVENT_CUSTOM_DOWNSTREAM)),
            (.customDownstream, custom(GST_EVENT_CUSTOM_DOWNSTREAM_OOB)), (.customBoth, custom(GST_EVENT_CUSTOM_BOTH)),
            (.customBoth, custom(GST_EVENT_CUSTOM_BOTH_OOB)),
        ]
    }

    @Test func eachEventHasItsKindAndOnlyItsContents() throws {
        #expect(Set(everyEvent().map(\.0)).count == 28)
        let caps = try #require(Caps("application/x-new"))
        let warnings = loggedWarnings {
            for (kind, raw) in everyEvent() {
                var event = Event(taking: raw)
                let number = gst_event_get_seqnum(raw)
                #expect(event.kind == kind)
                #expect((event.segment != nil) == (kind == .segment) && (event.gap != nil) == (kind == .gap))
                #expect((event.caps != nil) == (kind == .caps) && (event.seek != nil) == (kind == .seek))
                #expect((event.segmentDone != nil) == (kind == .segmentDone) && (event.tags != nil) == (kind == .tags))
                #expect((event.qualityOfService != nil) == (kind == .qualityOfService))
                #expect((event.latency != nil) == (kind == .latency) && (event.stream != nil) == (kind == .streamStart))
                event.segment = Segment()
                event.gap = (.seconds(1), nil)
                event.caps = caps
                event.seek = Seek(to: .seconds(1))
                event.segmentDone = time
                event.qualityOfService = .init(.underflow, proportion: 2, jitter: .zero, timestamp: nil)
                #expect(event.kind == kind && gst_event_get_seqnum(event.raw) == number)
                let isNew: Set<Event.Kind> = [.segment, .gap, .caps, .seek, .segmentDone, .qualityOfService]
                #expect((event.raw != raw) == isNew.contains(kind))
                #expect(event.caps == (kind == .caps ? caps : nil))
            }
        }
        #expect(warnings == [])
    }

    @Test func seekHasTheContentsOfItsEvent() {
        let raw = gst_event_new_seek(
            -2.5, GST_FORMAT_BYTES,
            GstSeekFlags(rawValue: GST_SEEK_FLAG_TRICKMODE.rawValue | GST_SEEK_FLAG_SEGMENT.rawValue),
            GST_SEEK_TYPE_END, -9, GST_SEEK_TYPE_NONE, -1)!
        gst_event_set_seek_trickmode_interval(raw, 5)
        gst_event_set_running_time_offset(raw, 6)
        var event = Event(taking: raw)
        var seek = event.seek
        #expect(seek?.rate == -2.5 && seek?.startType == .end && seek?.start == FormattedValue(.bytes, -9))
        #expect(seek?.stopType == Seek.LimitType.none && seek?.stop == FormattedValue(.bytes, nil))
        #expect(seek?.flags == [.segment, Seek.Flags(rawValue: GST_SEEK_FLAG_TRICKMODE.rawValue)])
        seek?.rate = 3
        seek?.start.value = -10
        event.seek = seek
        #expect(event.seek == seek && event.raw != raw)
        var interval = GstClockTime(0)
        gst_event_parse_seek_trickmode_interval(event.raw, &interval)
        #expect(interval == 5 && gst_event_get_running_time_offset(event.raw) == 6)
        #expect(Event.seek(Seek(to: .seconds(1), until: .seconds(2), rate: -1))?.seek?.stop.time == .seconds(2))
    }

    @Test(arguments: [0, .nan, .infinity]) func seekWithoutARateIsRefused(rate: Double) {
        let warnings = loggedWarnings {
            #expect(Event.seek(Seek(to: .zero, rate: rate))?.kind == nil)
            guard var event = Event.seek(Seek(to: .seconds(1))) else { return #expect(Bool(false)) }
            event.seek?.rate = rate
            #expect(event.seek == Seek(to: .seconds(1)))
        }
        #expect(warnings == [])
    }

    @Test func contentsThatGStreamerRefusesAreNil() {
        let warnings = loggedWarnings {
            var seek = Seek(to: .zero)
            seek.stop = bytes
            #expect(Event.seek(seek)?.kind == nil)
            #expect(Event.seek(Seek(to: .zero, flags: .instantRateChange))?.kind == nil)
            #expect(Event.gap(at: .seconds(Int64.max))?.kind == nil)
            for (jitter, time) in [(-2, Duration.nanoseconds(1)), (Int64.min, .seconds(1))] {
                let report = Event.QualityOfService(
                    .overflow, proportion: 1, jitter: Duration(nanoseconds: jitter), timestamp: time)
                #expect(Event.qualityOfService(report)?.kind == nil)
            }
            #expect(Event.navigation(Structure("1 is no name"))?.kind == nil)
        }
        #expect(warnings == [])
    }

    @Test func qualityOfServiceHasTheContentsOfItsEvent() {
        let report = Event.QualityOfService(
            .underflow, proportion: 1.5, jitter: .milliseconds(-3), timestamp: .milliseconds(9))
        #expect(Event.qualityOfService(report)?.qualityOfService == report)
        #expect(Event.latency(.milliseconds(3))?.latency == .milliseconds(3))
        #expect(Event.navigation(Structure("test", ["x": .double(1)]))?.structure?["x"] == .double(1))
    }

    @Test func gapKeepsItsFlags() {
        let raw = gst_event_new_gap(5, GstClockTime.max)!
        gst_event_set_gap_flags(raw, GST_GAP_FLAG_MISSING_DATA)
        var event = Event(taking: raw)
        #expect(event.gap?.at == .nanoseconds(5) && event.gap?.duration == nil)
        event.gap?.duration = .nanoseconds(8)
        var flags = GstGapFlags(rawValue: 0)
        gst_event_parse_gap_flags(event.raw, &flags)
        #expect(event.gap?.at == .nanoseconds(5) && event.gap?.duration == .nanoseconds(8))
        #expect(flags == GST_GAP_FLAG_MISSING_DATA)
    }

    @Test func segmentHasTheTimesOfItsEvent() {
        var raw = GstSegment()
        gst_segment_init(&raw, GST_FORMAT_TIME)
        (raw.start, raw.stop, raw.time, raw.base, raw.offset, raw.position, raw.duration) = (1, 2, 3, 4, 5, 6, .max)
        var event = Event(taking: gst_event_new_segment(&raw))
        guard let segment = event.segment else { return #expect(Bool(false)) }
        let times = [\Segment.start, \.stop, \.time, \.base, \.offset, \.position, \.duration]
        #expect(times.map { segment[keyPath: $0] } == [1, 2, 3, 4, 5, 6, nil].map { $0.map { .nanoseconds($0) } })
        #expect(segment.isInTime)
        event.segment?.stop = nil
        event.segment?.base = .nanoseconds(40)
        #expect(
            event.segment?.stop == nil && event.segment?.base == .nanoseconds(40) && event.segment?.time == segment.time
        )
    }

    /// The bridge presents a segment in bytes as an open one in time, which must not replace the segment.
    @Test func segmentInBytesIsNotReplaced() {
        var raw = GstSegment()
        gst_segment_init(&raw, GST_FORMAT_BYTES)
        var event = Event(taking: gst_event_new_segment(&raw))
        let before = event.raw
        event.segment?.start = .seconds(1)
        #expect(event.raw == before && event.segment?.isInTime == false)
    }
}
