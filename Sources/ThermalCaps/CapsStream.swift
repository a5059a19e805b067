import GStreamer
import ThermalPolicy
import Threads
import struct Synchronization.Atomic

/// Path of the frames: the pads of the bin, the scaler between them, and the negotiated caps.
///
///     sink (ghost) → entrance → [scaler] → exit → src (ghost)
///
/// A frame that requires no scaling is pushed from `sink` to `src` directly. The answer to the CAPS query of the scaler
/// (`CapsStream+Negotiation.swift`) contains the target. The answer to other elements permits any size, so that a
/// frame with old caps, sent before a change, is not refused.
final class CapsStream: @unchecked Sendable {  // Mutable fields belong to the streaming thread, or are atomic.
    final class Scaler: Sendable {
        let element: ElementReference
        let sink: Pad
        let source: Pad
        /// Inner pad behind the sink pad of the bin, which pushes to the scaler.
        let entrance: Pad

        init?(_ element: ElementReference, _ entrance: consuming Pad?) {
            guard let sink = element.pad("sink"), let source = element.pad("src"), let entrance else { return nil }
            self.element = element
            self.sink = sink
            self.source = source
            self.entrance = entrance
        }
    }

    let host: ElementHost
    let sink: Pad
    let source: Pad
    /// Scaler of the bin; nil if no scaler is installed.
    let scaler: Scaler?
    /// Plan for the caps, which the deciding thread and the streaming thread share.
    let plan = Mutex(CapsPlan())
    /// Handler that starts a round of the deciding thread.
    let wake = Mutex<Handler<@Sendable () -> Void>?>(nil)

    private let isRefusing = Atomic<Bool>(false)
    private let mustNegotiate = Atomic<Bool>(false)
    private let mustRequest = Atomic<Bool>(false)
    let isPaced = Atomic<Bool>(false)
    /// Thread inside the scaler; only the CAPS query of this thread is answered with `target`.
    let negotiator = Atomic<UInt>(0)

    // MARK: Fields of the streaming thread

    /// Whether frames bypass the scaler.
    var isPassthrough = true
    /// Output caps of the scaler; nil for any caps.
    var target: Caps?
    var input: Caps?
    /// Whether a dropped frame had the DISCONT flag, which the next frame must get.
    private var owesDiscontinuity = false
    /// Whether the scaler keeps the display aspect ratio with black borders.
    var hasBorders = true

    /// Adds the first installed scaler, and the pads, to the new bin `host`.
    init(_ host: ElementHost, _ templates: (sink: PadTemplate, source: PadTemplate)) {
        // A lazy `compactMap` would create its first element twice.
        var scaler: ElementReference?
        for factory in Self.scalers where scaler == nil { scaler = ElementReference(factory: factory, name: "scale") }
        if let scaler { host.add(scaler) }
        guard let sink = host.addGhostPad(templates.sink, target: scaler?.pad("sink")),
            let source = host.addGhostPad(templates.source, target: scaler?.pad("src"))
        else { preconditionFailure("The bin has both templates, and no pad yet.") }
        self.host = host
        self.scaler = scaler.flatMap { Scaler($0, sink.internalPad) }
        sink.connect()
        source.connect()
        let exit = source.internalPad
        self.sink = sink
        self.source = source
        // The pad keeps the closure, and this object keeps the pad, so a strong reference would be a cycle.
        exit?.setQueryFunction { [weak self] in $0.kind == .caps && self?.answerScaler($0) == true }
    }

    // MARK: States

    func start() {
        plan.withLock { $0 = CapsPlan() }
        isRefusing.store(false, ordering: .relaxed)
        isPaced.store(false, ordering: .relaxed)
    }

    /// Resets the state after the pads are deactivated.
    func stop() {
        (target, input) = (nil, nil)
        isPassthrough = true
        owesDiscontinuity = false
        mustNegotiate.store(false, ordering: .relaxed)
        mustRequest.store(false, ordering: .relaxed)
    }

    // MARK: The deciding thread

    var reference: VideoCaps? { plan.withLock { $0.reference } }

    /// Makes the streaming thread apply `order` before the next frame; returns the negotiated or intended output caps.
    func take(_ order: CapsPlan.Order, at now: Duration) -> VideoCaps? {
        let (isNew, made) = plan.withLock { ($0.take(order), $0.made(at: now)) }
        if isNew {
            // The request comes first, because caps that are negotiated before it would count as the answer to it.
            requestUpstream()
            negotiateAgain()
        }
        return made
    }

    func made(at now: Duration) -> VideoCaps? { plan.withLock { $0.made(at: now) } }

    /// Refuses all further frames.
    func refuseFrames() { isRefusing.store(true, ordering: .relaxed) }

    // MARK: Any thread

    /// Makes the streaming thread negotiate the caps again before the next frame.
    func negotiateAgain() { mustNegotiate.store(true, ordering: .releasing) }

    /// Makes the streaming thread select the caps of the source again before the next frame.
    func requestUpstream() { mustRequest.store(true, ordering: .releasing) }

    // MARK: The streaming thread

    /// Chain function of the sink pad; allocates nothing.
    func chain(_ buffer: consuming Buffer) -> FlowResult {
        guard !isRefusing.load(ordering: .relaxed) else { return .error }
        if mustRequest.load(ordering: .relaxed), mustRequest.exchange(false, ordering: .acquiring) { sendRequest() }
        if mustNegotiate.load(ordering: .relaxed), mustNegotiate.exchange(false, ordering: .acquiring), let input {
            _ = negotiate(input, isNew: false)
        }
        if isPaced.load(ordering: .relaxed) {
            let time = buffer.pts
            switch plan.withLock({ $0.verdict(onFrameAt: time) }) {
            case .pass: break
            case .drop:
                if buffer.isDiscontinuity { owesDiscontinuity = true }
                return .ok
            case .stretch(let duration): if buffer.duration != nil { buffer.duration = duration }
            }
        }
        if owesDiscontinuity {
            owesDiscontinuity = false
            buffer.markDiscontinuity()
        }
        guard let scaler else { return .notNegotiated }
        let mayChange = scaler.source.needsReconfigure
        if isPassthrough, !mayChange { return source.push(buffer) }
        negotiator.store(Worker.currentThread, ordering: .relaxed)
        let result = scaler.entrance.push(buffer)
        negotiator.store(0, ordering: .relaxed)
        if mayChange { noteNegotiated() }
        return result
    }

    func sinkEvent(_ event: consuming Event) -> FlowResult {
        switch event.kind {
        case .caps:
            guard let caps = event.caps else { break }
            return negotiate(caps, isNew: true) ? .ok : .notNegotiated
        case .flushStop, .segment: plan.withLock { $0.timeRestarted() }
        default: break
        }
        return sink.handleByDefault(event) ? .ok : .error
    }
}

extension CapsStream {
    /// Elements that scale; the first installed element is used.
    static let scalers = ["videoscale", "videoconvertscale"]

    /// Throws, and posts a message for the installer of missing plugins, if no scaler is installed.
    func requireScaler() throws(ElementError) {
        guard scaler == nil else { return }
        let wanted = Self.scalers[0]
        // Applications install missing plugins on this message; see gst_missing_element_message_new.
        host.post(
            Structure(
                "missing-plugin",
                [
                    "type": .string("element"), "detail": .string(wanted),
                    "name": .string("GStreamer element \(wanted)"),
                ]))
        throw .core(
            .missingPlugin,
            "The element \"\(wanted)\" is missing, and \(ThermalCaps.factoryName) requires it.",
            debug: "Install GStreamer's base plugins: on Debian, gstreamer1.0-plugins-base.")
    }
}
