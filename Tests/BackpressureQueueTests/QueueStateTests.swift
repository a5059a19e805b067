import CGStreamer
import GStreamer
import GstTestSupport
import QueuePolicy
import Testing

@testable import BackpressureQueue

@Suite struct QueueStateTests {
    /// Age of a frame with a PTS of 1 s that arrives at a running time of 5 s.
    private func age(_ state: inout QueueState) -> Duration? { entered(&state)?.ageOnEntry }

    /// The frame in the queue, with a PTS of 1 s, that arrived at a running time of 5 s.
    private func entered(_ state: inout QueueState, arrivedAt time: Duration = .seconds(9)) -> QueuedFrame? {
        let buffer = Buffer(unsafeTaking: QueueRig.buffer(pts: 1_000_000_000))
        let facts = buffer.facts
        var content: QueuedData? = .buffer(buffer)
        var attempt = QueueAttempt()
        var entry = QueueEntry.waitForRoom
        // The queue may first return a signal that must be emitted, and then the caller repeats the attempt.
        for _ in 0..<3 where content != nil {
            entry = state.enter(&content, facts, &attempt, runningTime: .seconds(5), inFlight: 0, time)
        }
        guard case .enqueued = entry else { return nil }
        return state.machine.items.withElement(at: state.machine.items.count - 1) { $0.frame }
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
        empty(&state)
    }

    /// In PAUSED, the age of a frame that waits for room at the entrance must not rise, like the age of queued frames.
    @Test func frameThatWaitsForRoomDoesNotAgeInPaused() {
        _ = Setup.once
        var state = QueueState()
        state.machine.begin()
        state.machine.activated()
        state.machine.resumed(now: .seconds(1))
        state.machine.paused(now: .seconds(3))
        state.machine.resumed(now: .seconds(8))
        let frames = [entered(&state, arrivedAt: .seconds(2)), entered(&state, arrivedAt: .seconds(9))]
        #expect(frames.map { $0?.enteredAt } == [.seconds(8), .seconds(9)])
        #expect(frames.map { $0?.ageOnEntry } == [nil, .seconds(4)])
        empty(&state)
    }

    private func empty(_ state: inout QueueState) {
        state.flush(storesStickyEvents: false)
        while state.machine.trash.popFirst() != nil {}
    }
}
