import Durations
import FrameTracking
import GStreamer
import QueuePolicy
import Threads

/// Registers the element `backpressurequeue`.
public func registerBackpressureQueue(in plugin: Plugin) -> Bool { register(BackpressureQueue.self, in: plugin) }

/// Queue for live streams that drops the frames that downstream cannot process, so that the latency stays bounded.
///
///     gst-launch-1.0 videotestsrc is-live=true num-buffers=300 ! backpressurequeue ! identity sleep-time=45000 ! fakesink
///
/// The streaming thread of the source pad pushes the frames. A pushed frame is in flight until its last reference is
/// freed or returned to its buffer pool. With `release-scope=memory`, each buffer that shares memory with the frame
/// is a reference; with `derived` (the default), also each buffer made from the frame. At most `max-in-flight`
/// frames are in flight. The value 0 derives the limit from the stream (`InFlightLimit`); 4294967295 disables it.
///
/// With `leaky=auto`, frames are dropped only if the source is live according to the LATENCY query. Any other source
/// is blocked by a full queue. If all sizes are 0, frames are dropped because of their delay (`WaitingBounds`). A frame
/// may wait until its deadline, and only a delay that persists is an overload (`OverloadDetector`).
///
/// A frame that is not released within `in-flight-timeout` plus the latency expires: it no longer counts as in flight,
/// and a warning names the element that probably holds it. With `in-flight-timeout=0` frames never expire; a sink that
/// keeps its last frame then blocks the stream if `max-in-flight` is 1.
///
/// Only frames are dropped, never events. The next frame after a drop has the DISCONT flag. In an encoded stream all
/// frames up to the next key unit are dropped, and a key unit is requested from upstream. Buffers with the HEADER flag
/// are never dropped. The property `in` always equals `out` plus `dropped` plus `current-level-buffers`; `out` includes
/// `expired`.
///
/// The signals are those of `queue`. The upstream streaming thread emits `overrun` before a frame waits for room or is
/// dropped for lack of room, and `running` after the wait. The thread of the source pad emits `underrun` when the queue
/// becomes empty, and `running` and `pushing` when it is no longer empty. See `docs/elements/backpressurequeue.md`.
///
/// Place one queue in each branch of a tee. A queue upstream of a tee counts a frame until the slowest branch has
/// released it.
///
/// Lock order: `lifecycle`, then the mutex of the monitor, which is a leaf lock.
final class BackpressureQueue: ConcurrentElement {

    // MARK: Registration

    static let factoryName = "backpressurequeue"
    static let typeName = "GstBackpressureQueue"
    static let metadata = ElementMetadata(
        "Backpressure queue",
        classification: "Generic",
        description: "Live queue that limits the frames in flight and drops frames when downstream is too slow",
        author: "The gst-plugins-swift authors")
    static let padTemplates: [PadTemplate] = [.sink("ANY"), .source("ANY")]
    static let signals = [underrun, running, overrun, pushing]

    static let underrun = Signal("underrun")
    static let running = Signal("running")
    static let overrun = Signal("overrun")
    static let pushing = Signal("pushing")

    // MARK: Runtime state

    static let log = DebugCategory(factoryName, "Queue with a limit of frames in flight")
    let host: ElementHost
    let sink: Pad
    let source: Pad
    let core = QueueCore()
    /// Whether the task of the source pad may start; the mutex is locked while the task starts or pauses, so that no
    /// start follows the last stop.
    let lifecycle = Mutex(false)
    /// Traces pushed frames after an expiry without a known holder, to find the holder of the next expired frame.
    let trace = TokenTrace()

    var monitor: Monitor<QueueState> { core.monitor }
    var ledger: TokenLedger { core.ledger }
    var report: QueueCore { core }

    init(host: ElementHost) {
        self.host = host
        // The bridge creates the always pads of `padTemplates`, so both exist.
        sink = host.pad("sink")!
        source = host.pad("src")!
        sink.proxyCaps()
        source.proxyCaps()
    }

    func settingsChanged(_ settings: Settings, revision: UInt64) {
        monitor.change { state in
            state.apply(settings, revision: revision)
            monitor.mutex.wakeAll()
        }
        emptyTrash()
        announceLatency()
    }

    // MARK: State changes

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
            let now = MonotonicClock.now
            isPlaying ? state.machine.resumed(now: now) : state.machine.paused(now: now)
            monitor.mutex.wakeAll()
        }
    }

    func activate(_ pad: borrowing Pad, isActive: Bool) -> Bool {
        pad.isSink ? activateSink(isActive) : activateSource(isActive)
    }

    private func activateSink(_ isActive: Bool) -> Bool {
        guard !isActive else {
            monitor.change { $0.machine.activated() }
            return true
        }
        monitor.change { state in
            state.machine.flushStarted()
            monitor.mutex.wakeAll()
        }
        sink.whileNotStreaming {
            monitor.change { $0.flush(storesStickyEvents: false) }
            emptyTrash()
        }
        return true
    }

    private func activateSource(_ isActive: Bool) -> Bool {
        if isActive {
            return lifecycle.withLock { mayStart in
                mayStart = true
                monitor.change { $0.machine.activated() }
                return source.startTask()
            }
        }
        lifecycle.withLock { $0 = false }
        monitor.change { state in
            state.machine.flushStarted()
            monitor.mutex.wakeAll()
        }
        let hasStopped = source.stopTask()
        monitor.change { $0.flush(storesStickyEvents: true) }
        emptyTrash()
        return hasStopped
    }

    func streamingThreadChanged(hasEntered: Bool) { hasEntered ? core.enterThread(host) : core.leaveThread() }

    // MARK: Pads

    func sinkQuery(_ query: borrowing Query, on pad: borrowing Pad) -> Bool {
        query.isSerialized ? answerUpstream(query) : pad.answerByDefault(query)
    }
    func sourceQuery(_ query: borrowing Query, on pad: borrowing Pad) -> Bool {
        // The element answers a SCHEDULING query itself. Upstream answers all other queries first.
        if query.kind != .scheduling, !pad.answerByDefault(query) { return false }
        return answerDownstream(query)
    }

    // MARK: Details

    /// Calls `prepare`, then starts the task of the source pad unless the queue is stopped or its pad is inactive.
    func startTask(_ prepare: (inout QueueState) -> Void = { _ in }) {
        lifecycle.withLock { mayStart in
            guard mayStart, source.isActive else { return }
            let flows = monitor.change { state in
                prepare(&state)
                return state.machine.life.stop == nil
            }
            if flows { _ = source.startTask() }
        }
    }

    /// Executes the actions after drops; the caller must hold no mutex.
    func cleanUp(_ drops: DropActions) {
        emptyTrash()
        announce(drops)
        if let keyUnit = drops.keyUnit { requestKeyUnit(keyUnit) }
    }

    /// Frees dropped items; the caller must hold no mutex.
    func emptyTrash() {
        while let item = monitor.change({ $0.machine.trash.popFirst() }) {
            if item.isFrame {
                let frame = item.frame
                QueueMarks.drop.mark(frame: .init(presentedAt: frame.presentedAt), last: true)
            }
            if item.mustBeStored, case .event(let event) = item.content { source.store(event) }
        }
    }

    func announce(_ drops: DropActions) {
        guard drops.postsDrops || drops.postsQuality else { return }
        let (counts, isLive, inFlight) = monitor.change {
            ($0.machine.policy.counts, $0.machine.policy.isLive, ledger.inFlight)
        }
        if drops.postsDrops {
            Self.log.info(host, "\(counts.dropped) of \(counts.entered) frames dropped, \(inFlight) in flight")
            host.post(core.dropMessage(counts, inFlight: inFlight))
        }
        if drops.postsQuality {
            host.postQualityOfService(isLive: isLive, processed: counts.out, dropped: counts.dropped)
        }
    }

    func requestKeyUnit(_ number: UInt32) {
        Self.log.info(host, "requesting key unit \(number) from upstream")
        if let event = Event.keyUnitRequest(number: number) { sink.push(event) }
    }
}
