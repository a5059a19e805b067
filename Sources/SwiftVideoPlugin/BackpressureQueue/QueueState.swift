import GStreamer
import StreamControl

/// What lies in the queue.
struct QueueItem: ~Copyable {
    enum Content: ~Copyable {
        case buffer(Buffer)
        case list(BufferList)
        case event(Event)
        case query(Query)

        var query: Query? {
            switch self {
            case .query(let query): query
            default: nil
            }
        }

        var eventKind: Event.Kind? {
            switch self {
            case .event(let event): event.kind
            default: nil
            }
        }

        /// Where a gap ends in stream time.
        var gapEnd: UInt64? {
            switch self {
            case .event(let event):
                guard let (start, duration) = event.gap, let start else { return nil }
                return start &+ (duration ?? 0)
            default: return nil
            }
        }

        var isStickyToKeep: Bool {
            switch self {
            case .event(let event): event.isSticky && event.kind != .segment && event.kind != .endOfStream
            default: false
            }
        }
    }

    var content: Content
    /// Without frames (`count` is 0) for an event or a query.
    var frame: QueuedFrame
    /// Something before it was dropped.
    var isDiscontinuity = false
    /// In the trash: the source pad must remember the event.
    var isStickyToKeep = false

    init(_ content: consuming Content, _ frame: QueuedFrame) {
        self.content = content
        self.frame = frame
    }

    init(_ content: consuming Content) {
        self.content = content
        frame = QueuedFrame()
        frame.count = 0
    }

    var isFrame: Bool { frame.count > 0 }

    func isQuery(_ query: UInt) -> Bool { content.query?.identity == query }
}

/// What the threads of a queue share.
struct QueueState: ~Copyable {
    /// What can be waited for.
    enum Wake {
        /// Something to push, or a credit to push it with.
        static let exit = 0
        /// Room at the entrance.
        static let room = 1
        /// A query was answered.
        static let answer = 2
        static let count = 3
    }

    var ring = Ring<QueueItem>(capacity: 32)
    /// What is to be freed as soon as the lock is not held.
    var trash = Ring<QueueItem>(capacity: 32)
    var policy = BackpressurePolicy()
    var report = DropReport()
    var releaseTimes = DurationHistogram()

    /// Whether data flows; else why not.
    var life = QueueLife()
    var exitTurn = QueueExitTurn.working
    var queryTurn = QueryTurn.none
    /// The frame that is being pushed, and since when.
    var pushed: (frame: QueuedFrame, since: UInt64)?
    /// A push has lasted so long that a warning was posted.
    var hasWarnedOfPush = false
    /// The source has not been asked yet whether it is live.
    var mustAskSource = true
    /// When the queue left PLAYING, and when it last returned to it.
    var pausedAt: UInt64?
    var resumedAt: UInt64 = 0
    /// Where the entrance is in the stream.
    var segment = Segment()
    /// The next frame in, or out, follows one that was dropped.
    var entranceIsDiscontinuous = false
    var exitIsDiscontinuous = false

    /// What the queue does to the latency.
    struct Latency: Equatable {
        var longestWait: UInt64?
        var leaks: Bool
    }

    /// What the pipeline was told last, if it has asked.
    private var toldLatency: Latency?

    // From the settings.
    private var revision: UInt64 = 0
    var isSilent = false
    var dropLogInterval: UInt32 = 30
    var scope = TokenScope.derived
    var hasWarnedOfHolder = false
    /// A LATENCY event has come since the start.
    var knowsLatency = false
    var keyUnitRequests: UInt32 = 0

    mutating func apply(_ settings: BackpressureQueue.Settings, revision: UInt64) {
        guard revision > self.revision else { return }
        self.revision = revision
        let before = policy.limits
        policy.limits = settings.limits
        isSilent = settings.isSilent
        dropLogInterval = settings.dropLogInterval
        scope = settings.scope.scope
        if !policy.limits.hasSameSizes(as: before) {
            policy.rulesChanged()
            makeRoom(.full, Monotonic.now) { policy, _ in policy.exceedsSizes }
        }
    }

    private var latency: Latency {
        // Where the delay decides, as long as a deadline may be: what waits for it adds to what upstream can hold.
        Latency(longestWait: policy.longestWait, leaks: policy.leak != .none && !policy.dropsByDelay)
    }

    /// What to tell the pipeline, which may rely on it from now on.
    mutating func latencyForAnswer() -> Latency {
        toldLatency = latency
        return latency
    }

    /// Whether the pipeline was told something else; true once for each change.
    mutating func latencyHasChanged() -> Bool {
        guard let told = toldLatency, told != latency else { return false }
        toldLatency = latency
        return true
    }

    /// Whether a frame that came in changes nothing for the exit: what is first still waits for a credit.
    var stillAwaitsCredit: Bool {
        guard case .awaitingCredit(let limit) = exitTurn, limit == policy.creditLimit, !ring.isEmpty else {
            return false
        }
        return ring.look(at: 0) { $0.isFrame }
    }

    /// A new stream may come.
    mutating func begin() {
        toldLatency = nil
        policy.begin()
        report = DropReport()
        releaseTimes = DurationHistogram()
        hasWarnedOfHolder = false
        hasWarnedOfPush = false
        knowsLatency = false
        pausedAt = nil
        mustAskSource = true
        exitTurn = .working
    }

    /// Data may flow; nothing changes if it does.
    mutating func accept() {
        if life.activated() == .start { exitTurn = .working }
    }

    /// True once: the warning about frames that do not come back is posted once a stream.
    mutating func mayWarnOfHolder() -> Bool {
        defer { hasWarnedOfHolder = true }
        return !hasWarnedOfHolder
    }

    /// PLAYING is reached, or left.
    ///
    /// Frames that wait do not grow older in PAUSED.
    mutating func playingChanged(_ isPlaying: Bool, _ now: UInt64) {
        guard isPlaying else {
            pausedAt = now
            policy.isPaused = true
            return
        }
        let pause = pausedAt.map { now > $0 ? now - $0 : 0 } ?? 0
        pausedAt = nil
        resumedAt = now
        pushed?.since = now
        pushed?.frame.ageOnEntry = nil
        for index in 0..<ring.count {
            ring.update(at: index) { $0.frame.enteredAt = min($0.frame.enteredAt &+ pause, now) }
        }
        policy.resumed(now: now)
    }

    /// Moves everything to the trash, but for sticky events when these stay until the source pad can take them.
    mutating func flush(keepsStickyEvents: Bool, keepsThemQueued: Bool = false) {
        for _ in 0..<ring.count {
            guard var item = ring.popFirst() else { break }
            if keepsThemQueued, item.content.isStickyToKeep {
                ring.append(item)
                continue
            }
            if item.isFrame { policy.queuedDropped(item.frame, .flushed, now: 0) }
            item.isStickyToKeep = keepsStickyEvents && item.content.isStickyToKeep
            trash.append(item)
        }
        policy.flushed()
        segment = Segment()
        entranceIsDiscontinuous = false
        exitIsDiscontinuous = false
    }

    /// Frames that are out now count no more.
    mutating func forgetFrames(_ ledger: TokenLedger) {
        collect(ledger)
        ledger.forgetAll()
    }

    /// Takes note of frames that came back.
    mutating func collect(_ ledger: TokenLedger) {
        ledger.collect { release in
            policy.frameReleased(
                pushedAt: release.pushedAt, at: release.releasedAt,
                // The age of a frame that was out in PAUSED means nothing.
                age: release.pushedAt < resumedAt ? nil : release.age, inFlight: ledger.inFlight)
            releaseTimes.add(
                nanoseconds: release.releasedAt > release.enteredAt ? release.releasedAt - release.enteredAt : 0)
        }
    }

    // MARK: Dropping

    /// The oldest frame that may be dropped.
    var oldestDroppable: QueuedFrame? {
        for index in 0..<ring.count {
            let frame = ring.look(at: index) { $0.frame }
            if frame.count > 0, frame.isDroppable { return frame }
        }
        return nil
    }

    /// Drops the oldest frames that may be dropped while there are too many; false when none could be.
    @discardableResult
    mutating func makeRoom(
        _ reason: DropReason, _ now: UInt64, while isTooMuch: (inout BackpressurePolicy, QueuedFrame) -> Bool
    ) -> Bool {
        var index = 0
        var hasDropped = false
        while index < ring.count {
            let frame = ring.look(at: index) { $0.frame }
            guard frame.count > 0, frame.isDroppable else {
                index += 1
                continue
            }
            guard isTooMuch(&policy, frame) else { break }
            dropAndSpoil(at: index, reason, now)
            hasDropped = true
        }
        return hasDropped
    }

    /// Drops the item at `index`, and those behind it that cannot be decoded without it.
    mutating func dropAndSpoil(at index: Int, _ reason: DropReason, _ now: UInt64) {
        let (isDelta, isDisposable) = ring.look(at: index) { ($0.frame.isDelta, $0.frame.isDisposable) }
        var place = drop(at: index, reason, now) ? index : index + 1
        // No frame refers to a disposable one: the decoder misses nothing.
        guard !isDisposable else { return }
        exitIsDiscontinuous = true
        while place < ring.count {
            let frame = ring.look(at: place) { $0.frame }
            if frame.count == 0 || !frame.isDroppable {
                place += 1
            } else if policy.isSpoiled(frame) {
                if !drop(at: place, .waitingForKeyUnit, now) { place += 1 }
            } else {
                return
            }
        }
        policy.spoiledToTheEntrance(droppedDelta: isDelta)
    }

    /// Moves the frames at `index` to the trash; headers of a list stay, and then the answer is false.
    private mutating func drop(at index: Int, _ reason: DropReason, _ now: UInt64) -> Bool {
        let headers = ring.look(at: index) { $0.frame.headerCount }
        if headers > 0, let unwanted = splitHeaders(at: index) {
            policy.queuedDropped(unwanted.frame, reason, now: now)
            trash.append(unwanted)
            return false
        }
        let item = ring.remove(at: index)
        policy.queuedDropped(item.frame, reason, now: now)
        trash.append(item)
        return true
    }

    /// Leaves the headers of the list at `index` where they are, and returns the other frames.
    private mutating func splitHeaders(at index: Int) -> QueueItem? {
        ring.update(at: index) { item -> QueueItem? in
            var unwanted: QueueItem?
            item.changeList { list, frame in
                if let others = list.splitUnwanted({ _, facts in facts.headerCount > 0 }) {
                    let facts = others.facts
                    unwanted = QueueItem(.list(others), frame.keeping(facts))
                }
                frame = frame.keeping(list.facts)
            }
            return unwanted
        }
    }
}

extension QueueItem {
    /// Lets `change` at the list, if this is one, and at what is known of it.
    mutating func changeList(_ change: (inout BufferList, inout QueuedFrame) -> Void) {
        var frame = frame
        let isDiscontinuity = isDiscontinuity
        let whole = consume self
        switch consume whole.content {
        case .list(var list):
            change(&list, &frame)
            self = QueueItem(.list(list), frame)
        case .buffer(let buffer): self = QueueItem(.buffer(buffer), frame)
        case .event(let event): self = QueueItem(.event(event), frame)
        case .query(let query): self = QueueItem(.query(query), frame)
        }
        self.isDiscontinuity = isDiscontinuity
    }
}

extension QueuedFrame {
    /// The same place in the stream, with other frames.
    func keeping(_ facts: BufferFacts) -> Self {
        var copy = self
        copy.count = facts.count
        copy.bytes = facts.bytes
        copy.isDelta = facts.isDeltaUnit
        copy.isDisposable = facts.isDroppable
        copy.headerCount = facts.headerCount
        return copy
    }
}
