import QueuePolicy

/// Text that stands for an event, a query or frames in a queue.
///
/// The events are `S` (STREAM_START), `s` (SEGMENT), `c` (CAPS), `g` (GAP) and `E` (EOS). A query is `?1`. The frames
/// are `k` (key unit), `d` (delta unit) and `h` (header). Several letters are a buffer list.
struct DrawnContent: QueueContent, ~Copyable {
    var text: String

    init(_ text: String) { self.text = text }

    var lifeEvent: QueueLife.EventKind? {
        switch text {
        case "S": .streamStart
        case "s": .segment
        case "c": .sticky
        case "g": .passing
        case "E": .endOfStream
        default: nil
        }
    }

    var queryAddress: UInt? { text.first == "?" ? UInt(text.dropFirst()) : nil }

    func measure(_ frame: inout QueuedFrame) {
        frame.count = UInt32(text.count { "kdh".contains($0) })
        frame.headerCount = UInt32(text.count { $0 == "h" })
        frame.isDelta = !text.contains("k")
    }

    mutating func split(_ part: SplitPart) -> Self? {
        switch part {
        case .first(let count): return split(text.prefix(Int(count)), text.dropFirst(Int(count)))
        case .unwanted: return split(text.filter { $0 != "h" }, text.filter { $0 == "h" })
        }
    }

    private mutating func split(_ out: some StringProtocol, _ rest: some StringProtocol) -> Self? {
        guard !out.isEmpty, !rest.isEmpty else { return nil }
        text = String(rest)
        return Self(String(out))
    }
}

/// A queue machine that executes a list of words.
///
/// A word is an item that arrives, as in `DrawnContent`, or an operation. `A` a pad is activated or FLUSH_STOP arrives,
/// `F` FLUSH_START arrives, `R` RECONFIGURE arrives, `!1` the sender of query 1 checks for an answer, `+` downstream
/// releases a frame, `.` the exit executes its next action. If the action is a push, `.x`, `.n` and `.q` let it return
/// ERROR, NOT_LINKED and EOS. If the action is a query, `.no` lets it fail.
struct DrawnQueue: ~Copyable {
    var machine = QueueMachine<DrawnContent>()
    var inFlight = 0
    private var outcome = QueueOutcome.none
    private var log: [String] = []

    /// Executes the words of `drawing` and returns one word for each action; `*` marks a frame with DISCONT.
    static func play(_ drawing: String, isSilent: Bool = true, _ change: (inout BackpressureLimits) -> Void = { _ in })
        -> String
    {
        var queue = Self()
        queue.machine.isSilent = isSilent
        queue.machine.policy.limits.leak = .none
        queue.machine.policy.limits.maxInFlight = BackpressureLimits.unlimited
        change(&queue.machine.policy.limits)
        for word in drawing.split(separator: " ") { queue.handle(String(word)) }
        return queue.log.joined(separator: " ")
    }

    private mutating func handle(_ word: String) {
        switch word {
        case "A":
            // FLUSH_STOP empties the queue before it restarts the queue.
            if machine.life.stop == .flushing { machine.flush(storesStickyEvents: true) }
            machine.activated()
        case "F": machine.flushStarted()
        case "R": machine.reconfigured()
        case "+": inFlight -= 1
        case "S", "s", "c", "g", "E": enter(event: word)
        case _ where word.first == "?": if !machine.queryArrived(DrawnContent(word)) { log.append("no") }
        case _ where word.first == "!":
            let answer = machine.answer(to: UInt(word.dropFirst()) ?? 0)
            log.append(answer.map { $0 ? "yes" : "no" } ?? "waits")
        case _ where word.first == ".": exit(String(word.dropFirst()))
        default: enter(frames: word)
        }
    }

    private mutating func enter(event: String) {
        var content: DrawnContent? = DrawnContent(event)
        switch machine.eventArrived(&content, canStart: true) {
        case .enqueue(let starts): if starts { log.append("start") }
        case .refuse(let stop): log.append("no:\(stop)")
        case .refuseAndPost(let stop): log.append("post:\(stop)")
        }
    }

    private mutating func enter(frames: String) {
        var frame = QueuedFrame()
        DrawnContent(frames).measure(&frame)
        var content: DrawnContent? = DrawnContent(frames)
        var attempt = QueueAttempt()
        while true {
            switch machine.frameArrived(&content, frame, &attempt, inFlight: inFlight, now: .nanoseconds(1)) {
            case .enqueued: return
            case .dropped: return log.append("dropped")
            case .refused(let stop): return log.append("no:\(stop)")
            case .emitOverrun: log.append("overrun")
            case .emitRunning: log.append("running")
            case .waitForRoom: return log.append("full")
            }
        }
    }

    private mutating func exit(_ result: String) {
        switch machine.next(after: &outcome, now: .nanoseconds(2)) {
        case .pause(let stop, let posts): log.append((posts ? "pause,post:" : "pause:") + "\(stop)")
        case .clean:
            while let item = machine.trash.popFirst() {
                log.append((item.mustBeStored ? "store:" : "free:") + item.content.text)
            }
        case .emitUnderrun: log.append("underrun")
        case .emitRunning: log.append("running")
        case .wait: log.append("-")
        case .send: send(isYes: result != "no")
        case .frame: push(result)
        }
    }

    private mutating func send(isYes: Bool) {
        guard let item = machine.takeFirst() else { return }
        log.append(item.content.text)
        if item.content.lifeEvent == .endOfStream { outcome = .sentEndOfStream }
        if item.content.queryAddress != nil { outcome = .answered(isYes) }
    }

    private mutating func push(_ result: String) {
        switch machine.frameIsNext(inFlight: inFlight, oldestPushedAt: nil, now: .nanoseconds(2)) {
        case .push(let count):
            guard let item = machine.takeFrames(count, now: .nanoseconds(2)) else { return }
            inFlight += Int(item.frame.count)
            log.append(item.content.text + (item.isDiscontinuity ? "*" : ""))
            let stops: [String: QueueStop] = ["x": .failed(-5), "n": .notLinked, "q": .endOfStream]
            outcome = .pushed(stops[result])
        case .drop(let reason):
            _ = machine.dropFirst(reason, now: .nanoseconds(2))
            log.append("drop:\(reason)")
        case .waitForCredit:
            machine.awaitsCredit()
            log.append("credit")
        case .expireOldest: log.append("expire")
        }
    }
}
