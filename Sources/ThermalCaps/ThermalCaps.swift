import GStreamer
import MachineState
import ThermalPolicy
import Threads

/// Registers the element `thermalcaps`.
public func registerThermalCaps(in plugin: Plugin) -> Bool { register(ThermalCaps.self, in: plugin) }

/// Reduces bitrate, frame rate and size step by step before the machine gets too hot, and restores them when it cools.
///
///     gst-launch-1.0 -m videotestsrc num-buffers=300 ! thermalcaps ! x264enc ! fakesink
///
/// At `serious` the element reduces the bitrate of the encoder and the frame rate, at `critical` also the size;
/// `policy` selects the order. After the machine was cooler for `up-dwell`, the element takes a step up. It requests
/// fewer pixels or frames from the source. If the source does not support them, the element drops and scales frames.
/// Without a sensor nothing is reduced.
///
/// `docs/elements/thermalcaps.md` describes levels, policies and messages.
///
/// The steps from a reading to the encoder, without the calls between them:
///
///     1 ThermalCaps.wake           the reader of MachineSensors has a new reading
///     2 ThermalRound.run           one pass of the deciding thread
///     3 MachineSensors.thermal     the reading
///     4 ThermalPolicy.decide       the step: limits for caps and bitrate
///     5 CapsStream.take            the caps; the streaming thread negotiates them before the next frame
///     6 EncoderPort.follow         the bitrate
///     7 BitrateController.begin    the values to write
///     8 ElementReference.set       the property of the encoder
///
/// Threads:
/// - The deciding thread of this element, a `Worker`, runs `ThermalRound`. No other thread accesses the encoder.
/// - The streaming thread negotiates caps and drops frames (`CapsStream`).
/// - The reader of `MachineSensors` calls `wake` after each reading.
/// - Any thread sets properties, changes states and sends events.
///
/// Mutexes: at most one is locked at a time, and none during a push, a query, a signal or a message:
/// - `state` in this class: settings, the policy, and the state of the deciding thread.
/// - `plan` in `CapsStream`: the limits from the deciding thread, and the caps from the streaming thread.
/// - `wake` in `CapsStream`: the closure that starts a round.
/// - `facts` in `ThermalCapsReport`: the values of read-only properties.
/// - The mutexes in `Alarm` and `Worker`, whose methods are called while no other mutex is locked.
final class ThermalCaps: Bin {

    // MARK: Metadata, pads and properties

    static let factoryName = "thermalcaps"
    static let typeName = "GstThermalCaps"
    static let metadata = ElementMetadata(
        "Thermal caps",
        classification: "Filter/Effect/Video",
        description: "Reduces bitrate, frame rate and size of video before the machine gets too hot",
        author: "The gst-plugins-swift authors")
    static let padTemplates: [PadTemplate] = [.sink("video/x-raw(ANY)"), .source("video/x-raw(ANY)")]
    static let signals = [configureCaps]
    /// Requests caps from the application; the arguments are the level and the caps that the element would select.
    static let configureCaps = Signal("configure-caps", arguments: [.string, .caps], returns: .caps)
    typealias Settings = ThermalCapsSettings

    // MARK: State

    static let log = DebugCategory(factoryName, "Quality by temperature")
    let host: ElementHost
    let stream: CapsStream
    let report = ThermalCapsReport()

    private struct State {
        var settings = ThermalCapsSettings()
        var revision: UInt64 = 0
        var policy = ThermalPolicy()
        /// Alarm of the deciding thread; nil while the element does not run.
        var alarm: Alarm?
        /// The deciding thread that was started last.
        var worker: Worker?
        /// Thread that runs rounds; after a restart, this is the previous thread until that thread ends.
        var thread: UInt?
        var hasPostedDuration = false
    }

    private let state = Mutex(State())

    init(host: ElementHost) {
        self.host = host
        stream = CapsStream(host, (Self.padTemplates[0], Self.padTemplates[1]))
        stream.wake.withLock { $0 = Handler { [weak self] in self?.wake() } }
    }

    // MARK: Pads

    func chain(_ buffer: consuming Buffer, on pad: borrowing Pad) -> FlowResult { stream.chain(buffer) }

    func sinkEvent(_ event: consuming Event, on pad: borrowing Pad) -> FlowResult { stream.sinkEvent(event) }

    func sinkQuery(_ query: borrowing Query, on pad: borrowing Pad) -> Bool { stream.answerUpstream(query) }

    func sourceQuery(_ query: borrowing Query, on pad: borrowing Pad) -> Bool { stream.answerDownstream(query) }

    func sourceEvent(_ event: consuming Event, on pad: borrowing Pad) -> Bool {
        if let request = QualityEvent(event), receive(request) { return true }
        if event.kind == .reconfigure { stream.negotiateAgain() }
        return pad.handleByDefault(event)
    }

    func sendEvent(_ event: consuming Event) -> Bool {
        if let request = QualityEvent(event), receive(request) { return true }
        return host.parentSendEvent(event)
    }

    // MARK: Any thread

    var settings: Settings { state.withLock { $0.settings } }

    func settingsChanged(_ settings: Settings, revision: UInt64) {
        state.withLock { state in
            guard revision > state.revision else { return }
            state.revision = revision
            state.settings = settings
        }
        wake()
    }

    /// Handles an upstream event; false while the element is disabled.
    private func receive(_ event: QualityEvent) -> Bool {
        let reason = String((event.reason ?? "unknown").prefix(64))
        let now = MonotonicClock.now
        let isHandled = state.withLock { state in
            guard state.alarm != nil, state.settings.isEnabled else { return false }
            switch (event.name, event.duration) {
            case ("quality-restore", _): state.policy.restore(reason)
            case (_, .unlimited): state.policy.degrade(reason)
            case (_, .limited(let time)): state.policy.degrade(reason, until: now + time)
            case (_, .invalid): break
            }
            return true
        }
        guard isHandled else { return false }
        if event.name == "quality-degrade", case .invalid(let text) = event.duration { postInvalid(duration: text) }
        wake()
        return true
    }

    private func postInvalid(duration text: String) {
        let isFirst = state.withLock { state in
            defer { state.hasPostedDuration = true }
            return !state.hasPostedDuration
        }
        guard isFirst else { return }
        host.post(
            warning: .settings(
                "A quality-degrade event was ignored, because its duration=\(text) is not a time.",
                debug:
                    "Send nanoseconds above 0, as in duration=(guint64)30000000000, or no duration. Posted once."
            ))
    }

    func wake() { state.withLock { $0.alarm }?.wake() }

    /// Calls `body` with the policy while the mutex is locked; called by the deciding thread.
    func withPolicy<Result: Sendable>(_ body: (inout ThermalPolicy) -> Result) -> Result {
        state.withLock { body(&$0.policy) }
    }

    // MARK: States

    func changeState(_ change: StateChange) -> StateChangeResult {
        if change == .pausedToReady { beginStop() }
        let result = host.parentChangeState(change)
        if change == .readyToPaused, result == .failure { beginStop() }
        return result
    }

    func start(_ settings: LiveSettings<Settings>) throws(ElementError) {
        try stream.requireScaler()
        let alarm = Alarm()
        let previous = state.withLock { state in
            state.policy = ThermalPolicy()
            state.hasPostedDuration = false
            state.alarm = alarm
            return state.worker
        }
        stream.start()
        let element = host.retained()
        let worker = Worker.start("thermalcaps") { [self] in
            // A bus handler may restart the pipeline from the previous thread; `stop` then has not joined that thread.
            previous?.join()
            withExtendedLifetime(element) { run(until: alarm) }
        }
        guard let worker else {
            state.withLock { $0.alarm = nil }
            alarm.end()
            throw .resource(.failed, "The system did not start a thread for \(Self.factoryName).")
        }
        state.withLock { $0.worker = worker }
    }

    /// Requests the end of the deciding thread; `stop` waits for it after the pads are deactivated.
    func beginStop() { state.withLock { $0.alarm.take() }?.end() }

    func stop() {
        let (worker, thread) = state.withLock { ($0.worker, $0.thread) }
        // A bus handler may stop the pipeline from the deciding thread; joining it here would deadlock.
        if thread != Worker.currentThread { worker?.join() }
        stream.stop()
    }

    // MARK: The deciding thread

    /// Runs rounds until `alarm` ends.
    private func run(until alarm: Alarm) {
        state.withLock { $0.thread = Worker.currentThread }
        var round = ThermalRound(self)
        var pause = Duration.zero
        while alarm.sleep(for: pause) {
            let due = round.run()
            // A reading wakes this thread within two intervals, unless a sensor blocks.
            pause = Self.sleep(until: due, now: MonotonicClock.now, longest: settings.pollInterval * 2)
        }
        round.finish()
        state.withLock { $0.thread = nil }
    }

    /// Time from `now` until `due`, from 1 ms to `longest`.
    static func sleep(until due: Duration?, now: Duration, longest: Duration) -> Duration {
        guard let due else { return longest }
        return min(max(due - now, .milliseconds(1)), longest)
    }
}
