import QueuePolicy
import Testing

@Suite struct QueueStateTests {
    /// In `drawing`, the exit finds no item (n), finds an item (i), waits for credit (c), or wakes (w).
    ///
    /// `signals` has the signal that each step emits, or `-`.
    @Test(arguments: [
        ("n", "underrun"), ("nn", "underrun -"), ("nin", "underrun running underrun"), ("i", "-"), ("ii", "- -"),
        ("icwn", "- - - underrun"), ("icwi", "- - - -"), ("nwi", "underrun - running"),
    ])
    func emitsUnderrunAndRunningOnce(drawing: String, signals: String) {
        var state = QueueExitState.working
        let emitted = drawing.map { letter -> String in
            switch letter {
            case "n": return state.foundNothing() ? "underrun" : "-"
            case "i": return state.foundItem() ? "running" : "-"
            case "c": state = .awaitingCredit(limit: 2)
            default: state.woke()
            }
            return "-"
        }
        #expect(emitted.joined(separator: " ") == signals)
    }

    @Test func senderWaitsForQueuedQuery() {
        var state = QueueQueryState.none
        #expect(check(&state, isQueued: true) == .wait)
        state = .asked(1)
        #expect(check(&state) == .wait)
        state.answered(true, flows: true)
        #expect(check(&state) == .finish(true))
        #expect(state == .none)
    }

    @Test func droppedQueryFails() {
        var state = QueueQueryState.none
        #expect(check(&state, isQueued: false) == .withdraw)
    }

    @Test func stoppedQueueWithdrawsQuery() {
        var state = QueueQueryState.none
        #expect(check(&state, isQueued: true, flows: false) == .withdraw)
    }

    @Test func senderWaitsWhilePeerIsQueried() {
        var state = QueueQueryState.asked(1)
        #expect(check(&state, flows: false) == .wait)
        state.answered(true, flows: false)
        #expect(check(&state, flows: false) == .finish(false))
    }

    @Test func ignoresAnswerToAnotherQuery() {
        var state = QueueQueryState.asked(2)
        #expect(check(&state, isQueued: true) == .wait)
        state.answered(true, flows: true)
        #expect(check(&state, isQueued: true) == .wait)
        #expect(state == .answered(2, true))
    }

    private func check(_ state: inout QueueQueryState, isQueued: Bool = false, flows: Bool = true)
        -> QueueQueryState.SenderAction
    {
        state.senderChecked(1, isQueued: isQueued, flows: flows)
    }
}
