import GStreamer
import MachineSensors
import MachineState
import ThermalPolicy
import Threads
import Tracing

/// Runs the rounds of the deciding thread; each round reads the sensors, and sets caps and bitrate.
struct ThermalRound {
    private let element: ThermalCaps
    private let host: ElementHost
    private var encoder: EncoderPort?
    private var sensors: MachineSensors?
    private var sensing: MachineSensors.Use?
    private var messages: ThermalMessages

    init(_ element: ThermalCaps) {
        self.element = element
        host = element.host
        messages = ThermalMessages(element)
    }

    /// Runs one round; returns the time of the next one, nil if none is due before the next reading.
    mutating func run() -> Duration? {
        let span = ThermalMarks.round.begin()
        defer { span.end() }
        let settings = element.settings
        guard settings.isEnabled else {
            encoder?.findObstacle(mayChangeCaps: settings.mayChangeSize == .yes)
            if encoder?.isBound == false { restoreEncoder() }
            endReduction(order(settings, host.elementsDownstream()))
            return nil
        }
        let now = MonotonicClock.now
        if sensors == nil {
            sensors = MachineSensors.shared(settings.machineRoot)
            sensing = sensors?.beginUse(interval: settings.pollInterval, onReading: element.wake)
        }
        let downstream = host.elementsDownstream()
        findEncoder(settings, downstream)
        let (conditions, reference) = (order(settings, downstream), element.stream.reference)
        var policy = settings.policySettings
        policy.rules.mayChangeSize =
            !conditions.capsStay && (reference.map { canShrink($0, conditions) } ?? true)
        policy.rules.hasEncoder = encoder.map { $0.obstacle == nil } ?? false
        policy.rules.tier = settings.tier.value(machine: sensors?.tier ?? .high)
        let reading = sensors?.thermal(now: MonotonicClock.now)
        let step = element.withPolicy { [policy] in $0.decide(reading, conditions, reference, policy, at: now) }
        if let reading { messages.post(reading, step.heat, settings) }
        carryOut(answered(step, settings), settings, now)
        return step.due
    }

    /// Restores the bitrate, but not the caps, because a muxer downstream may still receive the last frames.
    mutating func finish() {
        restoreEncoder()
        endReduction(nil)
    }

    /// Sets caps and bitrate according to the step, and posts messages.
    private mutating func carryOut(_ step: ThermalPolicy.Step, _ settings: ThermalCapsSettings, _ now: Duration) {
        var action = "none"
        ThermalMarks.level.set(Int64(step.heat.level.rawValue))
        if let order = step.order, let made = element.stream.take(order, at: MonotonicClock.now) {
            ThermalMarks.step.mark(value: Int64(step.heat.level.rawValue))
            messages.post(raised: step.raised, "custom-ladder", settings)
            let checked = encoder?.follow(step.bitrateOrder(for: made))
            if let encoder, let obstacle = encoder.obstacle { messages.post(obstacle, of: encoder.encoder) }
            if let encoder, let checked {
                element.report.facts.withLock { $0.bitrate = checked.bitsPerSecond }
                messages.post(checked.verdict, of: encoder.encoder)
            }
            action = step.action(made: made, bitrateShare: encoder?.share ?? 1)
        }
        messages.post(step.heat, action, step.reasons, now)
        if step.heat.level == .shutdown, !settings.policy.neverStops { messages.end(step.heat) }
    }

    /// Returns the step, changed to the caps that the application prefers.
    private mutating func answered(
        _ step: ThermalPolicy.Step, _ settings: ThermalCapsSettings
    ) -> ThermalPolicy.Step {
        guard let offered = step.question else { return step }
        let level = step.heat.level
        var answer: QualityLimits?
        if let offered = Caps(offered.text),
            case .caps(let caps) = host.emit(ThermalCaps.configureCaps, .string(level.name), .caps(offered))
        {
            do throws(ElementError) {
                answer = try QualityLimits(answer: caps.description, at: level, own: step.limits)
            } catch { messages.post(invalidAnswer: error) }
        }
        let answered = element.withPolicy { [answer] in $0.answered(answer) } ?? step
        if answered.isAnswerRaised { messages.post(raised: [level], "The answer to configure-caps", settings) }
        return answered
    }

    /// Ends the reduction; the caps stay if `order` is nil or forbids new caps.
    private mutating func endReduction(_ order: CapsPlan.Order?) {
        if let sensing { sensors?.endUse(sensing) }
        (sensors, sensing) = (nil, nil)
        messages.forget()
        element.withPolicy { $0 = ThermalPolicy() }
        let now = MonotonicClock.now
        if let order { _ = element.stream.take(order, at: now) }
        element.report.facts.withLock { facts in
            facts.durations.pause(at: now)
            facts.heat = HeatReport()
            facts.action = "none"
            facts.reasons = []
        }
    }

    // MARK: Conditions

    /// An order without limits, with the conditions of the pipeline.
    private func order(_ settings: ThermalCapsSettings, _ downstream: [ElementReference]) -> CapsPlan.Order {
        let upstream = host.elementsUpstream()
        var order = CapsPlan.Order()
        order.capsStay =
            switch settings.mayChangeSize {
            case .yes: false
            case .no: true
            case .auto: downstream.contains { $0.refusesNewCaps }
            }
        order.mustKeepSource = upstream.contains { $0.factory == "tee" && $0.linkedOutputs > 1 }
        order.mustKeepSize = !upstream.allSatisfy(\.isSizeIndependent)
        return order
    }

    /// Whether this element or the source can reduce the pixels, and downstream accepts fewer pixels.
    private func canShrink(_ caps: VideoCaps, _ order: CapsPlan.Order) -> Bool {
        guard !caps.isFields, element.stream.downstreamAccepts(lessThan: caps) else { return false }
        if caps.isScalable { return true }
        var least = QualityLimits.unlimited
        least.shortSide = QualityLimits.leastSide
        let smallest = CapsRange.cheapest(element.stream.sourceOffers(), target: least.fit(caps), full: caps)
        return !order.mustKeepSource && !order.mustKeepSize && smallest.map { $0.width < caps.width } ?? false
    }

    // MARK: The encoder

    private mutating func findEncoder(_ settings: ThermalCapsSettings, _ downstream: [ElementReference]) {
        let wanted: ElementReference? =
            if let name = settings.encoder { host.neighbour(named: name) } else {
                downstream.first { EncoderProfile.of(factory: $0.factory) != nil }
            }
        defer { encoder?.findObstacle(mayChangeCaps: settings.mayChangeSize == .yes) }
        guard wanted?.identity != encoder?.encoder.identity || wanted == nil else { return }
        // The bitrate of an encoder that has left the pipeline is restored.
        restoreEncoder()
        encoder = wanted.flatMap { EncoderPort($0) }
        if encoder == nil, let name = settings.encoder { messages.post(noEncoder: name, isThere: wanted != nil) }
    }

    private mutating func restoreEncoder() {
        encoder?.restore()
        encoder = nil
    }
}

extension ElementReference {
    /// Classes of elements that do not depend on the size; other elements place, crop or draw in pixel coordinates.
    private static let neutral: Set<String> = [
        "Source", "Converter", "Scaler", "Generic", "Decoder", "Parser", "Demuxer",
    ]
    private static let neutralFilters: Set<String> = ["videorate", "valve"]
    /// Muxers that accept new caps within a stream.
    private static let tolerantMuxers: Set<String> = ["mpegtsmux", "mpegpsmux", "multipartmux"]

    var isSizeIndependent: Bool {
        inputs <= 1 && (!Self.neutral.isDisjoint(with: classes) || Self.neutralFilters.contains(factory))
    }

    /// Whether the element refuses new caps in a running stream; `y4menc` writes the size only at the head of its file.
    var refusesNewCaps: Bool {
        factory == "y4menc" || (classes.contains("Muxer") && !Self.tolerantMuxers.contains(factory))
    }
}

extension ElementReference {
    /// Number of linked source pads; locks the element briefly.
    fileprivate var linkedOutputs: Int {
        var count = 0
        forEachSourcePad { if $0.isLinked { count += 1 } }
        return count
    }
}

/// Spans, counters and instants of `thermalcaps` in a trace.
enum ThermalMarks {
    /// One round, which reads the sensors and sets caps and bitrate.
    static let round = TraceSpan("thermal.round")
    /// Level of heat: 0 is unknown, 1 is nominal.
    static let level = TraceCounter("thermal.level")
    /// A step was applied, as in each round after the first caps; the value is the level of heat.
    static let step = TraceInstant("thermal.step")
}
