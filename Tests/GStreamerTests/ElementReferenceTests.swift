import CGStreamer
import Glibc
import GstTestSupport
import Synchronization
import Testing

@testable import GStreamer

/// Tests reading and writing properties of another element.
@Suite struct ElementReferenceTests {
    /// Two threads end each connection at the same moment; GLib logs a warning when a handler ends twice.
    @Test func simultaneousCallsDisconnectASignalOnce() throws {
        _ = Setup.once
        final class Meeting: Sendable { let arrived = Atomic<Int>(0) }
        let element = try #require(ElementReference(factory: "fakesink"))
        let connections = (0..<5_000).compactMap { _ in SignalConnection(element, "handoff") { _ in nil } }
        #expect(connections.count == 5_000)
        let meeting = Meeting()
        let race: @Sendable () -> Void = {
            for (index, connection) in connections.enumerated() {
                meeting.arrived.add(1, ordering: .sequentiallyConsistent)
                while meeting.arrived.load(ordering: .sequentiallyConsistent) < 2 * (index + 1) { sched_yield() }
                connection.disconnect()
            }
        }
        let warnings = loggedWarnings {
            let thread = TestThread(race)
            race()
            thread.join()
        }
        #expect(warnings.filter { $0.contains("has no handler with id") } == [])
    }

    @Test func readsAndWritesNumericPropertiesOfOtherElements() throws {
        let neighbour = try #require(Harness("identity"))
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
        // `number` returns nil for a negative value.
        #expect(element.number("error-after") == nil && element.text("error-after") == "-1")
    }

    @Test func writesPropertiesOfAnyType() throws {
        _ = TestElements.once
        let queue = try #require(ElementReference(factory: "queue"))
        #expect(queue.set("leaky", toText: "downstream") && queue.text("leaky") == "downstream")
        #expect(queue.set("leaky", to: .int(1)) && queue.text("leaky") == "upstream")
        #expect(queue.set("max-size-time", to: .uint64(7)) && queue.value("max-size-time") == .uint64(7))
        #expect(queue.set("silent", to: .bool(true)) && queue.value("silent") == .bool(true))
        #expect(!queue.set("leaky", toText: "sideways") && queue.text("leaky") == "upstream")
        #expect(!queue.set("silent", to: .caps(try #require(Caps("ANY")))))
        #expect(!queue.set("no-such", to: .int(1)) && !queue.set("no-such", toText: "1"))
        // `current-level-time` is read-only.
        #expect(!queue.set("current-level-time", to: .uint64(1)) && !queue.set("current-level-time", toText: "1"))
    }

    @Test func elementIsAnInstanceOfItsClasses() throws {
        _ = TestElements.once
        let sink = try #require(ElementReference(factory: "fakesink"))
        #expect(sink.isInstance(of: "GstFakeSink") && sink.isInstance(of: "GstBaseSink"))
        #expect(!sink.isInstance(of: "GstBaseSrc") && !sink.isInstance(of: "GstNoSuchClass"))
        #expect(sink.provideClock() == nil)
    }
}
