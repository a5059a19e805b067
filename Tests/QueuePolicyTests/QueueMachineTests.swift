import QueuePolicy
import Testing

/// Queues without GStreamer, drawn: see `DrawnQueue` for the words.
@Suite struct QueueMachineTests {
    @Test(arguments: [
        ("A S c s k d . . . . . .", "S c s k d -"),
        // Each side of an empty line.
        ("k A . k . .", "no:flushing - k -"),
        // EOS is the last; then the task pauses, and nothing enters but a new stream.
        ("A k E . . . k c", "k E pause:endOfStream no:endOfStream no:endOfStream"),
        ("A k E . . . S k . .", "k E pause:endOfStream start S k"),
        // A new stream right behind EOS, and its end.
        ("A E S s k E . . . . . .", "start E S s k E pause:endOfStream"),
    ])
    func passesStreams(drawing: String, result: String) { #expect(DrawnQueue.play(drawing) == result) }

    @Test(arguments: [
        // The exit of a flushing queue keeps sticky events for FLUSH_STOP, which stores them.
        ("A S c s k F . A . .", "pause:flushing free:s free:k store:S store:c -"),
        ("A k . F k g A . k . .", "k no:flushing no:flushing - k -"),
        // FLUSH_STOP restarts after EOS.
        ("A E . . F A k . .", "E pause:endOfStream k -"),
    ])
    func flushes(drawing: String, result: String) { #expect(DrawnQueue.play(drawing) == result) }

    @Test(arguments: [
        // What waits is kept until RECONFIGURE.
        ("A k d .n . c R . . .", "k pause:notLinked d c -"),
        ("A k .n . E", "k pause:notLinked post:notLinked"),
        ("A k E .n .", "k pause,post:notLinked"),
        // After an error all is lost, but for sticky events.
        ("A k c d .x . k", "k pause:failed(-5) no:failed(-5)"),
        ("A k E .x .", "k pause,post:failed(-5)"),
    ])
    func pausesWhenPushesFail(drawing: String, result: String) { #expect(DrawnQueue.play(drawing) == result) }

    @Test(arguments: [
        // Frames are refused until a segment.
        ("A k d c .q . k S k s k . . .", "k free:d free:c no:endOfStream no:endOfStream S s k"),
        // What is queued behind a segment, a new stream or EOS may be sent.
        ("A k d s k .q . . .", "k free:d s k"), ("A k d S k .q . . .", "k free:d S k"),
        ("A k d E .q . . .", "k free:d E pause:endOfStream"),
    ])
    func skipsToTheNextStream(drawing: String, result: String) { #expect(DrawnQueue.play(drawing) == result) }

    @Test(arguments: [
        ("A k ?1 !1 . . !1 . !1", "waits k ?1 waits - yes"), ("A ?1 .no . !1", "?1 - no"),
        // It must not be freed while the peer is asked.
        ("A ?1 . F !1 . !1", "?1 waits pause:flushing no"),
        // Flushed, skipped, or taken back when the line stops.
        ("A ?1 F . A !1", "pause:flushing no"), ("A k ?1 .q . !1", "k free:?1 no"), ("A ?1 F !1 A . .", "no - -"),
        ("F ?1", "no"),
    ])
    func answersQueries(drawing: String, result: String) { #expect(DrawnQueue.play(drawing) == result) }

    @Test(arguments: [
        (Leak.none, "A k k k . .", "full k k"), (.upstream, "A k k k . . . .", "dropped free:k k k -"),
        (.downstream, "A k k k . . . .", "free:k k* k -"),
        // Events never leak.
        (.downstream, "A S k k k . . .", "free:k S k*"),
        // Headers of a list stay, its other frames go.
        (.downstream, "A hk k . . .", "hk k -"), (.downstream, "A hk k k . . . .", "free:k h* k k"),
    ])
    func leaks(leak: Leak, drawing: String, result: String) {
        #expect(
            DrawnQueue.play(drawing) {
                $0.leak = leak
                $0.maxBuffers = leak == .downstream && drawing.contains("hk") ? 3 : 2
            } == result)
    }

    @Test(arguments: [
        // Two frames may be out; the third waits until one comes back.
        ("A k k k . . . . + . .", "k k credit credit k -"),
        // Of a list only as many leave as there are credits.
        ("A k kkk . . . + + . .", "k k credit kk -"),
        // Events behind a frame that waits for a credit wait as well.
        ("A k k k c . . . + . .", "k k credit k c"),
    ])
    func frameByFrameFollowsCredits(drawing: String, result: String) {
        #expect(DrawnQueue.play(drawing) { $0.maxInFlight = 2 } == result)
    }

    /// The headers of a list stay; the list then counts no more than these.
    @Test func aListThatWasPartedCountsWhatIsLeft() {
        var machine = QueueMachine<DrawnContent>()
        machine.policy.limits.maxBuffers = 3
        machine.policy.limits.leak = .downstream
        machine.isSilent = true
        machine.activated()
        for text in ["hk", "k", "k"] {
            var item: QueueItem<DrawnContent>? = QueueItem(DrawnContent(text))
            var frame = QueuedFrame()
            DrawnContent(text).measure(&frame)
            var attempt = QueueAttempt()
            #expect(
                machine.frameArrived(&item, frame, &attempt, inFlight: 0, now: 0) == .enqueued(wakesExit: true))
        }
        let counts = (0..<machine.line.count).map { machine.line.look(at: $0) { $0.frame.count } }
        #expect(counts == [1, 1, 1])
        #expect(machine.policy.level.buffers == 3)
    }

    /// A frame that enters wakes the exit, unless that waits for a credit.
    @Test func wakesTheExitOnlyForWhatItCanDo() {
        var machine = QueueMachine<DrawnContent>()
        machine.policy.limits.maxInFlight = 1
        machine.activated()
        func enters() -> QueueEntry {
            var item: QueueItem<DrawnContent>? = QueueItem(DrawnContent("k"))
            var attempt = QueueAttempt()
            return machine.frameArrived(&item, QueuedFrame(), &attempt, inFlight: 1, now: 0)
        }
        #expect(enters() == .enqueued(wakesExit: true))
        machine.awaitsCredit()
        #expect(enters() == .enqueued(wakesExit: false))
        machine.policy.limits.maxInFlight = 2
        #expect(enters() == .enqueued(wakesExit: true))
    }

    @Test(arguments: [
        ("A . . k . . . .", "underrun - running k underrun -"), ("A k k k", "overrun full"),
        // A pad that is activated once more emits nothing again.
        ("A . A .", "underrun -"), ("A . F A .", "underrun underrun"),
    ])
    func emitsSignalsOnce(drawing: String, result: String) {
        #expect(DrawnQueue.play(drawing, isSilent: false) { $0.maxBuffers = 2 } == result)
    }
}
