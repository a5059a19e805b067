import QueuePolicy
import Testing

@Suite struct QueueTurnTests {
    /// n finds the queue empty, i finds an item, c waits for credit, w wakes.
    ///
    /// The result is the signal emitted at each step.
    @Test(arguments: [
        ("n", "underrun"), ("nn", "underrun -"), ("nin", "underrun running underrun"), ("i", "-"), ("ii", "- -"),
        ("icwn", "- - - underrun"), ("icwi", "- - - -"), ("nwi", "underrun - running"),
    ])
    func emitsUnderrunAndRunningOnce(drawing: String, signals: String) {
        var turn = QueueExitTurn.working
        let emitted = drawing.map { letter -> String in
            switch letter {
            case "n": return turn.foundNothing() ? "underrun" : "-"
            case "i": return turn.foundItem() ? "running" : "-"
            case "c": turn = .awaitingCredit(limit: 2)
            default: turn.woke()
            }
            return "-"
        }
        #expect(emitted.joined(separator: " ") == signals)
    }

    @Test func senderWaitsForQueuedQuery() {
        var turn = QueryTurn.none
        #expect(look(&turn, isQueued: true) == .wait)
        turn = .asked(1)
        #expect(look(&turn) == .wait)
        turn.answered(true, flows: true)
        #expect(look(&turn) == .finish(true))
        #expect(turn == .none)
    }

    @Test func droppedQueryFails() {
        var turn = QueryTurn.none
        #expect(look(&turn, isQueued: false) == .withdraw)
    }

    @Test func stoppedQueueWithdrawsQuery() {
        var turn = QueryTurn.none
        #expect(look(&turn, isQueued: true, flows: false) == .withdraw)
    }

    @Test func senderWaitsWhilePeerIsQueried() {
        var turn = QueryTurn.asked(1)
        #expect(look(&turn, flows: false) == .wait)
        turn.answered(true, flows: false)
        #expect(look(&turn, flows: false) == .finish(false))
    }

    @Test func ignoresAnswerToAnotherQuery() {
        var turn = QueryTurn.asked(2)
        #expect(look(&turn, isQueued: true) == .wait)
        turn.answered(true, flows: true)
        #expect(look(&turn, isQueued: true) == .wait)
        #expect(turn == .answered(2, true))
    }

    private func look(_ turn: inout QueryTurn, isQueued: Bool = false, flows: Bool = true) -> QueryTurn.SenderAction {
        turn.looked(for: 1, isQueued: isQueued, flows: flows)
    }
}
