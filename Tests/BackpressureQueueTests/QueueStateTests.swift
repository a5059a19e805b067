import CGStreamer
import GStreamer
import GstTestSupport
import QueuePolicy
import Testing

@testable import BackpressureQueue

@Suite struct QueueStateTests {
    /// Age of a frame with a PTS of 1 s that enters at a running time of 5 s.
    private func age(_ state: inout QueueState) -> Duration? {
        let buffer = Buffer(unsafeTaking: QueueRig.buffer(pts: 1_000_000_000))
        let facts = buffer.facts
        var content: QueuedData? = .buffer(buffer)
        var attempt = QueueAttempt()
        var entry = QueueEntry.waitForRoom
        // An attempt may return a signal to emit instead, and is then repeated.
        for _ in 0..<3 where content != nil {
            entry = state.enter(&content, facts, &attempt, runningTime: .seconds(5), inFlight: 0, .seconds(9))
        }
        guard case .enqueued = entry else { return nil }
        return state.machine.items.withElement(at: state.machine.items.count - 1) { $0.frame.ageOnEntry }
    }

    /// Outside PLAYING the running time does not correspond to timestamps.
    @Test func framesHaveAnAgeInPlayingOnly() {
        _ = Setup.once
        var state = QueueState()
        state.machine.begin()
        state.machine.activated()
        let ageInPreroll = age(&state)
        state.machine.resumed(now: .seconds(8))
        let ageInPlaying = age(&state)
        state.machine.paused(now: .seconds(10))
        let ageInPaused = age(&state)
        #expect([ageInPreroll, ageInPlaying, ageInPaused] == [nil, .seconds(4), nil])
        #expect(state.machine.items.count == 3)
        state.flush(storesStickyEvents: false)
        while state.machine.trash.popFirst() != nil {}
    }
}
