import QueuePolicy
import Testing

/// Tests the life cycle of a queue with one letter for each event, and one word for each state and each action.
///
///     A pad activated or FLUSH_STOP     S STREAM_START   k push returned OK          o EOS sent, another is queued
///     F FLUSH_START or deactivation     s SEGMENT        n ... NOT_LINKED            e last EOS sent
///     r RECONFIGURE                     c CAPS           q ... EOS, queue is empty   N source pad inactive for the
///                                       g GAP            Q ... EOS, stream follows     next event: NS Ns Nc NE
///                                       E EOS            x ... ERROR, f ... FLUSHING
@Suite struct QueueLifeTests {
    private struct Player {
        var life = QueueLife()
        var states: [String] = []
        var actions: [String] = []

        init(_ drawing: String) {
            var canStart = true
            for letter in drawing where letter != " " {
                if letter == "N" {
                    canStart = false
                    continue
                }
                actions.append(event(letter, canStart))
                states.append(Self.name(life))
                canStart = true
            }
        }

        private mutating func event(_ letter: Character, _ canStart: Bool) -> String {
            switch letter {
            case "A": life.activated() ? "start" : "-"
            case "F": flush()
            case "r": life.reconfigured() ? "start" : "-"
            case "S": Self.name(life.eventArrived(.streamStart, canStart: canStart))
            case "s": Self.name(life.eventArrived(.segment, canStart: canStart))
            case "c": Self.name(life.eventArrived(.sticky, canStart: canStart))
            case "g": Self.name(life.eventArrived(.passing, canStart: canStart))
            case "E": Self.name(life.eventArrived(.endOfStream, canStart: canStart))
            case "o": life.endSent(isLast: false) ? "stop" : "-"
            case "e": life.endSent(isLast: true) ? "stop" : "-"
            case "k": Self.name(life.pushReturned(nil))
            case "n": Self.name(life.pushReturned(.notLinked))
            case "f": Self.name(life.pushReturned(.flushing))
            case "x": Self.name(life.pushReturned(.failed(-5)))
            case "Q": Self.name(life.pushReturned(.endOfStream))
            case "q": skipAll()
            default: fatalError("\(letter) is not an event")
            }
        }

        private mutating func flush() -> String {
            life.flushStarted()
            return "stop"
        }

        private mutating func skipAll() -> String {
            let action = life.pushReturned(.endOfStream)
            if action == .skipToNextStream { life.foundNoStream() }
            return Self.name(action)
        }

        private static func name(_ life: QueueLife) -> String {
            switch life {
            case .flowing: "flowing"
            case .refusing: "refusing"
            case .draining: "draining"
            case .stopped(let stop, let afterEnd): name(stop) + (afterEnd ? "+end" : "")
            }
        }

        private static func name(_ stop: QueueStop) -> String {
            switch stop {
            case .flushing: "flushing"
            case .notLinked: "unlinked"
            case .endOfStream: "ended"
            case .failed(let code): code < 0 ? "failed" : "custom"
            }
        }

        private static func name(_ action: QueueLife.PushAction) -> String {
            switch action {
            case .none: "-"
            case .skipToNextStream: "skip"
            case .stop: "stop"
            }
        }

        private static func name(_ action: QueueLife.EventAction) -> String {
            switch action {
            case .enqueue(let starts): starts ? "in,start" : "in"
            case .refuse(let stop): "no:\(name(stop))"
            case .refuseAndPost(let stop): "post:\(name(stop))"
            }
        }
    }

    private func expect(_ drawing: String, _ states: String, _ actions: String) {
        let player = Player(drawing)
        #expect(player.states.joined(separator: " ") == states, "\(drawing)")
        #expect(player.actions.joined(separator: " ") == actions, "\(drawing)")
    }

    @Test(arguments: [
        // The first pad activation starts the task, and the second activation has no effect.
        ("AA", "flowing flowing", "start -"),
        ("A S s k", "flowing flowing flowing flowing", "start in in -"),
        ("A FFA", "flowing flushing flushing flowing", "start stop stop start"),
        // Until FLUSH_STOP, the queue accepts sticky events, but refuses other events and EOS.
        ("A F S s c g E", "flowing" + " flushing" * 6, "start stop in in in no:flushing no:flushing"),
        // Only FLUSH_STOP ends a flush. A push that returns during the flush has no effect.
        ("A F r k n q x e", "flowing" + " flushing" * 7, "start stop - - - - - -"),
    ])
    func flushEndsOnlyAtFlushStop(drawing: String, states: String, actions: String) { expect(drawing, states, actions) }

    @Test(arguments: [
        ("A E e", "flowing draining ended+end", "start in stop"),
        ("A E k k e", "flowing draining draining draining ended+end", "start in - - stop"),
        // Only a new stream may follow EOS, whether EOS was sent or is still queued.
        ("A E c g E", "flowing draining draining draining draining", "start in no:ended no:ended no:ended"),
        (
            "A E e c g E", "flowing draining ended+end ended+end ended+end ended+end",
            "start in stop no:ended no:ended no:ended"
        ),
        // The queue restarts after a flush or an activation.
        ("A E F A", "flowing draining flushing+end flowing", "start in stop start"),
        ("A E e A", "flowing draining ended+end flowing", "start in stop start"),
        (
            "A E e F c S c", "flowing draining ended+end flushing+end flushing+end flushing flushing",
            "start in stop stop no:ended in in"
        ),
    ])
    func stopsAfterSendingEOS(drawing: String, states: String, actions: String) { expect(drawing, states, actions) }

    @Test(arguments: [
        // A new stream enters while EOS is queued. When the queue sends this EOS, it does not stop.
        ("A E S e", "flowing draining flowing flowing", "start in in,start -"),
        ("A E s e", "flowing draining flowing flowing", "start in in,start -"),
        // Two streams are queued, and the second EOS enters before the first EOS is sent.
        ("A E S E o e", "flowing draining flowing draining draining ended+end", "start in in,start in - stop"),
        // A new stream follows the EOS that was sent.
        (
            "A E e S s E e", "flowing draining ended+end flowing flowing draining ended+end",
            "start in stop in,start in in stop"
        ),
        // The new stream stays queued until the inactive source pad is activated.
        ("A E e NS NE A", "flowing draining ended+end ended ended flowing", "start in stop in no:ended start"),
        ("A E NS e", "flowing draining flowing flowing", "start in in -"),
    ])
    func newStreamFollowsEOS(drawing: String, states: String, actions: String) { expect(drawing, states, actions) }

    @Test(arguments: [
        ("A n r k", "flowing unlinked flowing flowing", "start stop start -"),
        // Sticky events are queued until the pad is linked.
        ("A n S s c g r", "flowing" + " unlinked" * 5 + " flowing", "start stop in in in no:unlinked start"),
        // EOS is refused with an error message, because upstream pushes nothing more.
        ("A n E", "flowing unlinked unlinked", "start stop post:unlinked"),
        // EOS was queued before the push returned NOT_LINKED.
        ("A E n r e", "flowing draining unlinked+end draining ended+end", "start in stop start stop"),
        ("A E n S", "flowing draining unlinked+end flowing", "start in stop in,start"),
        // In other states RECONFIGURE has no effect.
        ("r A r E r e r", "flushing flowing flowing draining draining ended+end ended+end", "- start - in - stop -"),
    ])
    func reconfigureRestartsUnlinkedQueue(drawing: String, states: String, actions: String) {
        expect(drawing, states, actions)
    }

    @Test(arguments: [
        // Frames are refused until SEGMENT. STREAM_START and CAPS are not sufficient.
        ("A q S c s", "flowing refusing refusing refusing flowing", "start skip in in in"),
        ("A q E e", "flowing refusing draining ended+end", "start skip in stop"),
        ("A q E S", "flowing refusing draining flowing", "start skip in in,start"),
        ("A q A", "flowing refusing flowing", "start skip start"),
        ("A q F A", "flowing refusing flushing flowing", "start skip stop start"),
        // The queue holds a later stream or an EOS, which may still be sent.
        ("A Q k", "flowing flowing flowing", "start skip -"),
        ("A E Q e", "flowing draining draining ended+end", "start in skip stop"),
    ])
    func refusesFramesAfterDownstreamReturnsEOS(drawing: String, states: String, actions: String) {
        expect(drawing, states, actions)
    }

    @Test(arguments: [
        ("A x r", "flowing failed failed", "start stop -"),
        ("A x c g E", "flowing" + " failed" * 4, "start stop in no:failed post:failed"),
        ("A x F A", "flowing failed flushing flowing", "start stop stop start"),
        ("A E x", "flowing draining failed+end", "start in stop"),
        ("A E x c S", "flowing draining failed+end failed+end flowing", "start in stop no:ended in,start"),
        // A push may return FLUSHING because a pad downstream flushes, while the queue itself does not flush.
        ("A f c g E", "flowing" + " flushing" * 4, "start stop in no:flushing no:flushing"),
    ])
    func errorStopsUntilFlushOrNewStream(drawing: String, states: String, actions: String) {
        expect(drawing, states, actions)
    }

    // MARK: Properties of a state

    @Test(arguments: [
        ("", QueueStop.flushing), ("A", nil), ("AE", .endOfStream), ("Aq", .endOfStream), ("AEe", .endOfStream),
        ("An", .notLinked), ("Ax", .failed(-5)), ("AEx", .failed(-5)), ("AF", .flushing),
    ])
    func refusalReasonFollowsState(drawing: String, refusal: QueueStop?) {
        #expect(Player(drawing).life.refusal == refusal)
    }

    @Test(arguments: ["A", "AE", "Aq"]) func taskRunsUnlessStopped(drawing: String) {
        #expect(!Player(drawing).life.postsError)
        #expect(Player(drawing).life.stop == nil)
    }

    @Test(arguments: [
        ("", "sticky events", false), ("AF", "sticky events", false), ("AEF", "sticky events", false),
        ("An", "all", false), ("AEe", "all", false), ("Ax", "none", false),
        // After EOS, upstream receives no flow return, so the queue must post the error.
        ("AEn", "all", true), ("AEx", "none", true),
    ])
    func pauseActionFollowsState(drawing: String, kept: String, posts: Bool) throws {
        let life = Player(drawing).life
        let stop = try #require(life.stop)
        #expect((stop.keepsItems ? "all" : stop == .flushing ? "sticky events" : "none") == kept)
        #expect(life.postsError == posts)
    }

    @Test func customSuccessReturnIsNoError() {
        #expect(!QueueStop.failed(100).isError)
        #expect(QueueStop.failed(-100).isError)
    }
}

private func * (text: String, count: Int) -> String { String(repeating: text, count: count) }
