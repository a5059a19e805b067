import QueuePolicy
import Testing

/// Tests the state machine of a queue without GStreamer.
///
/// `DrawnQueue` explains the words.
@Suite struct QueueMachineTests {
    @Test(arguments: [
        ("A S c s k d . . . . . .", "S c s k d -"),
        // The queue refuses frames until it is activated.
        ("k A . k . .", "no:flushing - k -"),
        // If EOS is the last item, the task pauses, and only a new stream may enter.
        ("A k E . . . k c", "k E pause:endOfStream no:endOfStream no:endOfStream"),
        ("A k E . . . S k . .", "k E pause:endOfStream start S k"),
        // A new stream follows directly behind EOS, and ends with its own EOS.
        ("A E S s k E . . . . . .", "start E S s k E pause:endOfStream"),
    ])
    func passesItemsOfSuccessiveStreams(drawing: String, result: String) { #expect(DrawnQueue.play(drawing) == result) }

    @Test(arguments: [
        // The exit of a flushing queue keeps sticky events. FLUSH_STOP stores them.
        ("A S c s k F . A . .", "pause:flushing free:s free:k store:S store:c -"),
        ("A k . F k g A . k . .", "k no:flushing no:flushing - k -"),
        // FLUSH_STOP restarts the queue after EOS.
        ("A E . . F A k . .", "E pause:endOfStream k -"),
    ])
    func flushKeepsStickyEvents(drawing: String, result: String) { #expect(DrawnQueue.play(drawing) == result) }

    @Test(arguments: [
        // Queued items are kept until RECONFIGURE.
        ("A k d .n . c R . . .", "k pause:notLinked d c -"),
        ("A k .n . E", "k pause:notLinked post:notLinked"),
        ("A k E .n .", "k pause,post:notLinked"),
        // An error discards all items but stores sticky events.
        ("A k c d .x . k", "k pause:failed(-5) no:failed(-5)"),
        ("A k E .x .", "k pause,post:failed(-5)"),
    ])
    func pausesWhenPushesFail(drawing: String, result: String) { #expect(DrawnQueue.play(drawing) == result) }

    @Test(arguments: [
        // Frames are refused until SEGMENT.
        ("A k d c .q . k S k s k . . .", "k free:d free:c no:endOfStream no:endOfStream S s k"),
        // A queued SEGMENT, STREAM_START or EOS may still be sent, and also the items behind it.
        ("A k d s k .q . . .", "k free:d s k"), ("A k d S k .q . . .", "k free:d S k"),
        ("A k d E .q . . .", "k free:d E pause:endOfStream"),
    ])
    func skipsToNextStreamAfterDownstreamReturnsEOS(drawing: String, result: String) {
        #expect(DrawnQueue.play(drawing) == result)
    }

    @Test(arguments: [
        ("A k ?1 !1 . . !1 . !1", "waits k ?1 waits - yes"), ("A ?1 .no . !1", "?1 - no"),
        // The query must not be freed while the peer is queried.
        ("A ?1 . F !1 . !1", "?1 waits pause:flushing no"),
        // The query fails if it is flushed, skipped, or withdrawn when the queue stops.
        ("A ?1 F . A !1", "pause:flushing no"), ("A k ?1 .q . !1", "k free:?1 no"), ("A ?1 F !1 A . .", "no - -"),
        ("F ?1", "no"),
    ])
    func answersQueries(drawing: String, result: String) { #expect(DrawnQueue.play(drawing) == result) }

    @Test(arguments: [
        (Leak.none, "A k k k . .", "full k k"), (.upstream, "A k k k . . . .", "dropped free:k k k -"),
        (.downstream, "A k k k . . . .", "free:k k* k -"),
        // Events are never dropped.
        (.downstream, "A S k k k . . .", "free:k S k*"),
        // The headers of a list stay queued, and the other frames of the list are dropped.
        (.downstream, "A hk k . . .", "hk k -"), (.downstream, "A hk k k . . . .", "free:k h* k k"),
    ])
    func dropsFollowDropPolicy(leak: Leak, drawing: String, result: String) {
        #expect(
            DrawnQueue.play(drawing) {
                $0.leak = leak
                $0.maxBuffers = leak == .downstream && drawing.contains("hk") ? 3 : 2
            } == result)
    }

    @Test(arguments: [
        // At most two frames may be in flight, so the third frame waits for a release.
        ("A k k k . . . . + . .", "k k credit credit k -"),
        // The queue splits a list that has more frames than the credit permits.
        ("A k kkk . . . + + . .", "k k credit kk -"),
        // Events behind a frame that waits for credit wait until the frame leaves.
        ("A k k k c . . . + . .", "k k credit k c"),
    ])
    func pushesFollowCredit(drawing: String, result: String) {
        #expect(DrawnQueue.play(drawing) { $0.maxInFlight = 2 } == result)
    }

    /// The last frame may exceed a maximum, so the level may exceed the maximum even after the maximum was raised.
    @Test(arguments: [(110, 2), (100, 2), (90, 1), (0, 2)] as [(UInt32, Int)])
    func onlyLoweringASizeDropsFrames(maxBytes: UInt32, left: Int) {
        var machine = QueueMachine<DrawnContent>()
        var limits = BackpressureLimits()
        (limits.maxBytes, limits.maxTime, limits.leak) = (100, .seconds(100), .downstream)
        machine.limitsChanged(to: limits, now: .zero)
        machine.activated()
        for _ in 0..<2 {
            var content: DrawnContent? = DrawnContent("k")
            var frame = QueuedFrame()
            frame.bytes = 60
            var attempt = QueueAttempt()
            _ = machine.frameArrived(&content, frame, &attempt, inFlight: 0, now: .zero)
        }
        limits.maxBytes = maxBytes
        machine.limitsChanged(to: limits, now: .zero)
        let count = machine.items.count
        #expect(count == left)
    }

    /// The headers of a list stay queued, and the list counts only its headers.
    @Test func splitListCountsRemainingFrames() {
        var machine = QueueMachine<DrawnContent>()
        machine.policy.limits.maxBuffers = 3
        machine.policy.limits.leak = .downstream
        machine.isSilent = true
        machine.activated()
        for text in ["hk", "k", "k"] {
            var content: DrawnContent? = DrawnContent(text)
            var frame = QueuedFrame()
            DrawnContent(text).measure(&frame)
            var attempt = QueueAttempt()
            #expect(
                machine.frameArrived(&content, frame, &attempt, inFlight: 0, now: .zero) == .enqueued(wakesExit: true))
        }
        let counts = (0..<machine.items.count).map { machine.items.withElement(at: $0) { $0.frame.count } }
        #expect(counts == [1, 1, 1])
        #expect(machine.policy.level.buffers == 3)
    }

    /// After a flush in PAUSED, the pipeline prerolls again, so the time in PAUSED must count for the age of frames.
    @Test func framesAgeAfterFlushInPaused() {
        var machine = QueueMachine<DrawnContent>()
        machine.activated()
        machine.resumed(now: .nanoseconds(10))
        machine.paused(now: .nanoseconds(20))
        let paused = (machine.pausedAt, machine.policy.isPaused)
        #expect(paused == (.nanoseconds(20), true))
        machine.flushStarted()
        machine.flush(storesStickyEvents: true)
        machine.activated()
        let flushed = (machine.pausedAt, machine.policy.isPaused)
        #expect(flushed == (nil, false))
        let playback = machine.policy.playback
        #expect(playback == .prerolling)
    }

    @Test func reportsEachBlockedPushOnce() {
        var machine = QueueMachine<DrawnContent>()
        machine.activated()
        var times: [Duration?] = []
        for push in [.zero, .seconds(10)] as [Duration] {
            machine.pushed = (nil, push)
            times += [machine.pushBlocked(push + .seconds(1)), machine.pushBlocked(push + .seconds(3))]
            times.append(machine.pushBlocked(push + .seconds(4)))
            var outcome = QueueOutcome.pushed(nil)
            machine.settle(&outcome, now: push + .seconds(5))
        }
        #expect(times == [nil, .seconds(3), nil, nil, .seconds(3), nil])
    }

    @Test func frameWakesExitUnlessItWaitsForCredit() {
        var machine = QueueMachine<DrawnContent>()
        machine.policy.limits.maxInFlight = 1
        machine.activated()
        func enters() -> QueueEntry {
            var content: DrawnContent? = DrawnContent("k")
            var attempt = QueueAttempt()
            return machine.frameArrived(&content, QueuedFrame(), &attempt, inFlight: 1, now: .zero)
        }
        #expect(enters() == .enqueued(wakesExit: true))
        machine.awaitsCredit()
        #expect(enters() == .enqueued(wakesExit: false))
        machine.policy.limits.maxInFlight = 2
        #expect(enters() == .enqueued(wakesExit: true))
    }

    @Test(arguments: [
        ("A . . k . . . .", "underrun - running k underrun -"), ("A k k k", "overrun full"),
        // The queue repeats the signal `underrun` after a flush, but not after a second activation.
        ("A . A .", "underrun -"), ("A . F A .", "underrun underrun"),
    ])
    func emitsSignalsOnce(drawing: String, result: String) {
        #expect(DrawnQueue.play(drawing, isSilent: false) { $0.maxBuffers = 2 } == result)
    }
}
