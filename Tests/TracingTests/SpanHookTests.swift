import Foundation
import Synchronization
import Testing

@testable import Tracing

/// Marks that the hook received from this test's names, which no other test uses.
private let calls = Mutex<[String]>([])

private func receive(_ name: UnsafePointer<CChar>?, _ call: (String) -> String) {
    guard let name = name.map({ String(cString: $0) }), name.hasPrefix("hook.") else { return }
    calls.withLock { $0.append(call(name)) }
}

extension RecordingTests {
    @Suite struct Hook {
        private static let span = TraceSpan("hook.span")
        private static let instant = TraceInstant("hook.instant")

        @Test func receivesSpansAndInstantsWithAndWithoutATrace() throws {
            SpanHook.install(
                begin: { name, time in
                    receive(name) { "begin \($0) \(time)" }
                    return 77
                },
                end: { span in if span == 77 { calls.withLock { $0.append("end") } } },
                event: { name, time in receive(name) { "event \($0) \(time == .max ? "none" : "\(time)")" } })
            defer { SpanHook.setActive(false) }
            Self.span.begin(frame: TraceFrame(runningTime: 5)).end()
            Self.instant.mark()
            let trace = try recorded { _, _ in
                Self.span.begin(frame: TraceFrame(runningTime: 6)).end()
            }
            #expect(try trace.slices().contains { $0.name == "hook.span" })
            SpanHook.setActive(false)
            Self.span.begin(frame: TraceFrame(runningTime: 7)).end()
            let own = calls.withLock { $0.filter { $0 != "end" } }
            #expect(own == ["begin hook.span 5", "event hook.instant none", "begin hook.span 6"])
            #expect(calls.withLock { $0.filter { $0 == "end" }.count } >= 2)
        }
    }
}
