import GStreamer
import StreamControl
import Synchronization

/// A queue for live streams that drops what downstream has no time for, so that the latency does not grow.
///
///     gst-launch-1.0 videotestsrc is-live=true num-buffers=300 ! backpressurequeue ! identity sleep-time=45000 ! fakesink
///
/// Frames are pushed from a thread of the queue's own. Each frame pushed is in flight until the last buffer that shares
/// its memory (`release-scope=memory`), or was made of it as well (`derived`, the default), is freed or returned to its
/// pool. No more than `max-in-flight` frames are let out; with 0 the limit is learned (`InFlightLimit`), and 4294967295
/// lifts it.
///
/// With `leaky=auto` nothing is dropped unless the source is live, as the LATENCY query says; the source is blocked
/// instead. With all sizes 0 the delay of frames decides how many wait (`WaitingBounds`): a frame may wait for its
/// deadline, a burst is absorbed, and only a delay that stands is an overload (`OverloadDetector`).
///
/// A frame that does not come back within `in-flight-timeout` and the latency counts no more, and a warning names the
/// element that seems to hold it. With `in-flight-timeout=0` it is waited for for ever: `max-in-flight=1` and a sink that
/// keeps the frame stop the stream.
///
/// Only frames are dropped, never events; the next frame after a drop is marked DISCONT. Of an encoded stream all is
/// dropped up to the next key unit, which is requested from upstream; buffers marked HEADER are never dropped.
/// `in` is `out` and `dropped` and `current-level-buffers`, at every moment; `expired` are some of `out`.
///
/// The signals are those of `queue`: `overrun` before a frame waits for room or is dropped for want of it, on the
/// source's thread; `underrun` when the queue is empty, `running` and `pushing` when it is no longer, on its own.
/// `docs/elements/backpressurequeue.md` describes all of it.
///
/// A tee in front shares its pools badly: put the queue behind it, one for each branch.
///
/// Locks, in the order they may be taken: `lifecycle`, then the monitor's gate. The gate is a leaf.
final class BackpressureQueue: ConcurrentElement {

    // MARK: What gst-inspect shows

    static let factoryName = "backpressurequeue"
    static let typeName = "GstBackpressureQueue"
    static let metadata = ElementMetadata(
        "Backpressure queue",
        classification: "Generic",
        description: "Live queue that counts frames until downstream has released them and drops what is too much",
        author: "The gst-plugins-swift authors")
    static let padTemplates: [PadTemplate] = [.sink("ANY"), .source("ANY")]
    static let signals = [underrun, running, overrun, pushing]

    static let underrun = Signal("underrun")
    static let running = Signal("running")
    static let overrun = Signal("overrun")
    static let pushing = Signal("pushing")

    // MARK: What happens while the pipeline runs

    static let log = DebugCategory(factoryName, "Queue with a limit of frames in flight")
    let host: ElementHost
    let sink: Pad
    let source: Pad
    let core = QueueCore()
    /// Held while the source pad's task is started or paused, so that no start follows the last stop.
    let lifecycle = Mutex(false)
    /// Runs once a frame has expired, for the next one that does.
    let trace = TokenTrace()

    var monitor: Monitor<QueueState> { core.monitor }
    var ledger: TokenLedger { core.ledger }
    var report: QueueCore { core }

    init(host: ElementHost) {
        self.host = host
        // The bridge has made both, as `padTemplates` lists them.
        sink = host.pad("sink")!
        source = host.pad("src")!
        sink.proxyCaps()
        source.proxyCaps()
    }

    func settingsChanged(_ settings: Settings, revision: UInt64) {
        monitor.change { state in
            state.apply(settings, revision: revision)
            monitor.gate.wakeAll()
        }
        emptyTrash()
        announceLatency()
    }

    // MARK: States

    func start(_ settings: LiveSettings<Settings>) throws(ElementError) {
        core.planThread(settings.now)
        monitor.change { $0.begin() }
    }

    func stop() {
        trace.end()
        monitor.change { $0.forgetFrames(ledger) }
    }

    func changeState(_ change: StateChange) -> StateChangeResult {
        if change == .playingToPaused { playingChanged(false) }
        let result = host.parentChangeState(change)
        if change == .pausedToPlaying, result != .failure { playingChanged(true) }
        return result
    }

    private func playingChanged(_ isPlaying: Bool) {
        monitor.change { state in
            state.playingChanged(isPlaying, Monotonic.now)
            monitor.gate.wakeAll()
        }
    }

    func activate(_ pad: Pad, isActive: Bool) -> Bool { pad.isSink ? activateSink(isActive) : activateSource(isActive) }

    private func activateSink(_ isActive: Bool) -> Bool {
        guard !isActive else {
            monitor.change { $0.accept() }
            return true
        }
        monitor.change { state in
            state.life.flushStarted()
            monitor.gate.wakeAll()
        }
        sink.whileNotStreaming {
            monitor.change { $0.flush(keepsStickyEvents: false) }
            emptyTrash()
        }
        return true
    }

    private func activateSource(_ isActive: Bool) -> Bool {
        if isActive {
            return lifecycle.withLock { mayStart in
                mayStart = true
                monitor.change { $0.accept() }
                return source.startTask()
            }
        }
        lifecycle.withLock { $0 = false }
        monitor.change { state in
            state.life.flushStarted()
            monitor.gate.wakeAll()
        }
        let hasStopped = source.stopTask()
        monitor.change { $0.flush(keepsStickyEvents: true) }
        emptyTrash()
        return hasStopped
    }

    func streamingThreadChanged(hasEntered: Bool) { hasEntered ? core.enterThread(host) : core.leaveThread() }

    // MARK: Pads

    func chain(_ buffer: consuming Buffer, on pad: Pad) -> FlowResult { receive(buffer) }
    func chain(_ list: consuming BufferList, on pad: Pad) -> FlowResult { receive(list) }
    func sinkEvent(_ event: consuming Event, on pad: Pad) -> FlowResult { receive(event) }
    func sinkQuery(_ query: Query, on pad: Pad) -> Bool {
        query.isSerialized ? answerUpstream(query) : pad.answerByDefault(query)
    }
    func sourceEvent(_ event: consuming Event, on pad: Pad) -> Bool { receiveFromDownstream(event) }
    func sourceQuery(_ query: Query, on pad: Pad) -> Bool {
        // A SCHEDULING query is answered here only; every other one is answered upstream first.
        if query.kind != .scheduling, !pad.answerByDefault(query) { return false }
        return answerDownstream(query)
    }
    func loop(on pad: Pad) { runTask() }

    // MARK: Details

    /// Lets the source pad's task run if, after `prepare`, data may flow and the pad is not on its way down.
    func startTask(_ prepare: (inout QueueState) -> Void = { _ in }) {
        lifecycle.withLock { mayStart in
            guard mayStart, source.isActive else { return }
            let flows = monitor.change { state in
                prepare(&state)
                return state.life.stop == nil
            }
            if flows { _ = source.startTask() }
        }
    }

    /// Frees what was dropped, now that no lock is held.
    func emptyTrash() {
        while let item = monitor.change({ $0.trash.popFirst() }) {
            if item.isStickyToKeep, case .event(let event) = item.content { source.store(event) }
        }
    }

    /// Posts the messages about drops that are due.
    func announce(_ announcement: DropReport.Announcement) {
        guard !announcement.isSilent else { return }
        let (counts, inFlight) = monitor.change { ($0.policy.counts, ledger.inFlight) }
        if announcement.drops {
            Self.log.info(host, "\(counts.dropped) of \(counts.entered) frames dropped, \(inFlight) in flight")
            host.post(core.dropMessage(counts, inFlight: inFlight))
        }
        if announcement.quality { host.postQualityOfService(processed: counts.out, dropped: counts.dropped) }
    }

    /// Asks upstream for a frame that can be decoded by itself.
    func requestKeyUnit(_ number: UInt32) {
        Self.log.info(host, "asking upstream for key unit \(number)")
        if let event = Event.keyUnitRequest(number: number) { sink.push(event) }
    }
}
