import Foundation
import Synchronization
import Testing

@testable import TestSupport
@testable import Tracing

/// The calls of the hook with names of this test, which no other test uses.
private let calls = Mutex<[String]>([])

private func receive(_ name: UnsafePointer<CChar>?, _ call: (String) -> String) {
    guard let name = name.map({ String(cString: $0) }), name.hasPrefix("hook.") else { return }
    calls.withLock { $0.append(call(name)) }
}

extension RecordingTests {
    @Suite struct Hook {
        private static let span = TraceSpan("hook.span")
        private static let instant = TraceInstant("hook.instant")
        private static let local = TraceInstant(inTrace: "hook.local")

        @Test func receivesSpansAndInstantsWithAndWithoutATrace() throws {
            SpanHook.install(
                begin: { name, time in
                    receive(name) { "begin \($0) \(time)" }
                    return 77
                },
                end: { span in if span == 77 { calls.withLock { $0.append("end") } } },
                event: { name, time, note, value in
                    receive(name) { name in
                        let time = time == .max ? "none" : "\(time)"
                        return switch SpanHook.Note(rawValue: note) {
                        case .number: "event \(name) \(time) \(Int64(bitPattern: value))"
                        case .reason: "event \(name) \(time) \(TraceName.text(at: UInt(value)))"
                        default: "event \(name) \(time)"
                        }
                    }
                })
            Self.span.begin(frame: TraceFrame(runningTime: 4)).end()
            SpanHook.setActive(true)
            defer { SpanHook.setActive(false) }
            Self.span.begin(frame: TraceFrame(runningTime: 5)).end()
            Self.instant.mark()
            Self.instant.mark(frame: TraceFrame(runningTime: 8), value: -3)
            Self.instant.mark(frame: TraceFrame(runningTime: 9), reason: "too late")
            Self.local.mark()
            let trace = try recorded { _, _ in
                Self.span.begin(frame: TraceFrame(runningTime: 6)).end()
                Self.local.mark()
            }
            #expect(trace.events("hook.local").count == 1)
            #expect(try trace.slices().contains { $0.name == "hook.span" })
            let begun = Self.span.begin(frame: TraceFrame(runningTime: 10))
            SpanHook.setActive(false)
            Self.span.begin(frame: TraceFrame(runningTime: 7)).end()
            begun.end()
            let own = calls.withLock { $0.filter { $0 != "end" } }
            #expect(
                own == [
                    "begin hook.span 5", "event hook.instant none", "event hook.instant 8 -3",
                    "event hook.instant 9 too late", "begin hook.span 6", "begin hook.span 10",
                ])
            #expect(calls.withLock { $0.filter { $0 == "end" }.count } >= 3)
        }
    }
}
