import CGStreamer
import GstTestSupport
import Testing
import Threads

@testable import GStreamer

/// Tests the use of C objects that were freed or removed; the address sanitizer detects an access to freed memory.
@Suite struct EscapeTests {
    init() throws { try #require(TestElements.areRegistered) }

    private func makeSink() -> UnsafeMutablePointer<GstElement> {
        let raw = gst_element_factory_make("fakesink", "escaped")!
        gst_object_ref_sink(raw)
        return raw
    }

    @Test func padOutlivesItsElement() throws {
        let element = makeSink()
        guard let pad = ElementHost(unsafe: element).pad("sink") else { return #expect(Bool(false)) }
        gst_object_unref(element)
        let facts = (pad.name, pad.fullName, pad.isSink, pad.isLinked, pad.linkedElements)
        #expect(facts == ("sink", "sink", true, false, 0))
        let isSent = pad.send(Event.endOfStream()!)
        #expect(!isSent)
    }

    @Test func padOutlivesItsRemoval() throws {
        let element = try #require(ElementReference(factory: "swifttestsplitter"))
        let raw = try #require(gst_element_request_pad_simple(element.raw, "src_%u"))
        let pad = Pad(taking: raw)
        ElementHost(unsafe: element.raw).removePad(pad)
        let name = pad.name
        let isPushed = pad.push(Event.endOfStream()!)
        #expect(!name.isEmpty && !isPushed)
    }

    @Test func hostOfFreedElementDoesNothing() {
        let element = makeSink()
        let host = ElementHost(unsafe: element)
        let identity = host.identity
        gst_object_unref(element)
        host.post(warning: .stream(.failed, "lost"))
        host.post(Structure("lost"))
        host.post(TagList([.title: .string("lost")]))
        host.postLatencyChanged()
        host.postQualityOfService(isLive: true, processed: 1, dropped: 1)
        host.notify("sync")
        host.requestReconfigure()
        host.setProvidesClock()
        host.recalculateLatency()
        host.noMorePads()
        #expect(host.name == "" && host.identity == identity)
        #expect(host.runningTime == nil && host.clock == nil && host.baseTime == nil && host.inputSegment == nil)
        let (found, added) = (host.pad("sink")?.name, host.addPad(.sink("ANY"), name: "sink")?.name)
        #expect(found == nil && added == nil && host.retained() == nil && host.neighbour(named: "escaped") == nil)
        #expect(host.elementsUpstream().isEmpty && host.elementsDownstream().isEmpty && !host.hasParent)
        #expect(host.parentChangeState(.nullToReady) == .failure && host.parentProvideClock() == nil)
        let isSent = host.parentSendEvent(Event.endOfStream()!)
        #expect(!isSent)
        if let other = ElementReference(factory: "fakesink") { #expect(!host.add(other) && !host.remove(other)) }
        #expect(host.withUnsafePointer { $0 } == nil)
        // GStreamer logs the message without an object.
        bridgeLog.trace(host, "lost")
    }

    @Test func hostOfFreedPoolFails() throws {
        let raw = gst_buffer_pool_new()!
        let host = BufferPoolHost(raw)
        #expect(host.withUnsafePointer { $0 } == raw)
        gst_object_unref(raw)
        #expect(host.isFlushing && host.withUnsafePointer { $0 } == nil)
        #expect(!host.succeeds { $1.pointee.start?($0) })
        var result = FlowResult.ok
        do throws(FlowResult) { _ = try host.made { $1.pointee.alloc_buffer?($0, &$2, nil) } } catch { result = error }
        #expect(result == .error)
    }

    @Test func loanOfQueryEndsWithItsCall() throws {
        let raw = try #require(gst_query_new_latency())
        var kept: QueryLoan?
        Query(lending: raw).lend { loan in
            #expect(loan.use { $0.kind } == .latency)
            kept = loan
        }
        gst_query_unref(raw)
        #expect(kept?.identity == UInt(bitPattern: raw))
        #expect(kept?.use { $0.kind } == nil)
    }

    @Test func endOfLoanWaitsForItsUse() throws {
        let raw = try #require(gst_query_new_latency())
        let begun = Latch()
        let order = Mutex<[String]>([])
        var thread: TestThread?
        Query(lending: raw).lend { loan in
            thread = TestThread {
                _ = loan.use { query in
                    begun.open()
                    simulateWork(for: .milliseconds(30))
                    query.latency = (true, .milliseconds(1), nil)
                    order.withLock { $0.append("use") }
                }
            }
            begun.wait()
        }
        order.withLock { $0.append("end") }
        thread?.join()
        #expect(order.withLock { $0 } == ["use", "end"])
        gst_query_unref(raw)
    }

    @Test func contentsOfEventRemainAfterItsPush() throws {
        let element = makeSink()
        guard let pad = ElementHost(unsafe: element).pad("sink") else { return #expect(Bool(false)) }
        guard let event = Event.custom(Structure("kept", ["number": .int(7)]), isUpstream: false) else {
            return #expect(Bool(false))
        }
        let structure = event.structure
        pad.send(event)
        gst_object_unref(element)
        #expect(structure == Structure("kept", ["number": .int(7)]))
    }
}

extension Pad {
    fileprivate var linkedElements: Int {
        var count = 0
        forEachLinkedElement { _, _ in
            count += 1
            return true
        }
        return count
    }
}
