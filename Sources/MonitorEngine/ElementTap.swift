import CGStreamer
import GStreamer
public import MonitorPolicy
import Threads
import Tracing
import struct Synchronization.Atomic

/// A watched element: probes on its pads, and values that the element reports.
///
/// Any thread except a streaming thread may call the methods. A tap holds no reference to the element, and after
/// `detach` none to its pads, so the figures remain when the element is freed.
public final class ElementTap: @unchecked Sendable {  // The C object is only used through MT safe calls.
    /// Record of frames and latencies.
    public let record: ElementRecord
    /// Identifies the element; unique in the process.
    public let id = ElementTap.lastID.wrappingAdd(1, ordering: .relaxed).newValue
    /// Kinds that targets may match: `source`, `sink`, `encoder`, `decoder`, `queue`, `muxer` and so on.
    public let kinds: [String]
    /// Whether frames end in the element.
    public let isSink: Bool
    /// Whether a tracer measures the time in pushes, and the time of the element without pushes.
    public let measuresPushes: Bool
    private let classes: [String]
    private static let lastID = Atomic<Int>(0)
    private let host: ElementHost
    /// Address of the element, for comparison, and for use while the caller holds a reference.
    private let raw: UnsafeMutablePointer<GstElement>
    private let clock: StreamClock
    private let changes: PipelineChanges
    private let traceName: TraceName
    /// Whether the element changes the PTS of RTP packets.
    private let identifiesPackets: Bool
    private let pads = Mutex(Pads())
    private let signals: Mutex<SignalConnections>
    private let counters = Mutex(RisingCounters())

    private struct Pads {
        var taps: [PadTap] = []
        /// Whether new pads get a probe at once.
        var hasProbes = false
        /// Records of the origins upstream, and whether running times differ from those at the origins.
        var upstream: (origins: [PadRecord], isRetimed: Bool) = ([], false)

        /// Publishes to each pad the records with which it compares frames.
        func publish() {
            let sinks = taps.map(\.record).filter { $0.role == .sink }
            let value = PadNeighbours(sinks: sinks, origins: upstream.origins, isRetimed: upstream.isRetimed)
            for tap in taps { tap.neighbours.replace(value) }
        }
    }

    init(_ reference: ElementReference, clock: StreamClock, changes: PipelineChanges, isTraced: Bool, now: UInt64) {
        let raw = reference.withUnsafePointer { $0 }
        self.raw = raw
        self.clock = clock
        self.changes = changes
        host = ElementHost(unsafe: raw)
        classes = reference.classes
        traceName = TraceName(registering: reference.name)
        let factory = reference.factory
        identifiesPackets = factory == "rtpjitterbuffer"
        record = ElementRecord(name: reference.name, factory: factory, now: now)
        kinds = classes.map { $0.lowercased() } + (Self.isQueue(factory) ? ["queue"] : [])
        isSink = reference.isSink
        measuresPushes = isTraced
        signals = Mutex(SignalConnections(raw))
        record.endReports()
    }

    deinit { for tap in pads.withLock({ $0.taps }) { tap.detach() } }

    /// A reference to the element; nil if the element no longer exists.
    var reference: ElementReference? { host.retained() }

    private static func isQueue(_ factory: String) -> Bool {
        factory == "multiqueue" || factory == "queue2" || factory.hasSuffix("queue")
    }

    /// Whether each frame that enters corresponds to a frame that leaves.
    ///
    /// Muxers, demuxers, parsers, payloaders, audio elements, and codecs of other data than images divide and join
    /// buffers.
    public var keepsFrames: Bool {
        let joining = ["Muxer", "Demuxer", "Parser", "Payloader", "Depayloader", "Audio", "Visualization"]
        guard !classes.contains(where: joining.contains) else { return false }
        return !classes.contains("Codec") || classes.contains("Video") || classes.contains("Image")
    }

    // MARK: Probes

    /// Follows present and later pads; adds no probes until `watch`.
    func attach() {
        signals.withLock { signals in
            signals.connect("pad-added", self, Self.padAdded)
            signals.connect("pad-removed", self, Self.padRemoved)
        }
        gst_element_foreach_pad(
            raw,
            { _, pad, data in
                if let pad, let data { Unmanaged<ElementTap>.fromOpaque(data)._withUnsafeGuaranteedRef { $0.add(pad) } }
                return 1
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Adds probes to all present and later pads, unless they have probes.
    func watch() {
        let isNew = pads.withLock { pads in
            guard !pads.hasProbes else { return false }
            pads.hasProbes = true
            for tap in pads.taps { tap.reset() }
            // Sink pads come last, so a frame that leaves before they have probes entered before the recording began.
            for tap in pads.taps where tap.record.role != .sink { tap.attach() }
            for tap in pads.taps { tap.attach() }
            return true
        }
        if isNew { record.beginReports(at: reported.drops ?? 0) }
    }

    /// Removes all probes until `watch`; no frames are expected meanwhile.
    func suspend(now: UInt64) {
        if let drops = reported.drops { record.reportDropped(drops) }
        record.endReports()
        pads.withLock { pads in
            pads.hasProbes = false
            for tap in pads.taps { tap.detach() }
        }
        record.quiet.begin(now: now, until: .max)
    }

    /// Removes all probes and signal handlers; the figures remain.
    func detach() {
        host.withUnsafePointer { _ in signals.withLock { $0.disconnectAll() } }
        for tap in pads.withLock({ pads in
            defer { pads = Pads() }
            return pads.taps
        }) { tap.detach() }
    }

    private static let padAdded: SignalConnections.Handler = { _, pad, data in
        guard let pad, let data else { return }
        Unmanaged<ElementTap>.fromOpaque(data)._withUnsafeGuaranteedRef {
            $0.add(pad.assumingMemoryBound(to: GstPad.self))
        }
    }

    private static let padRemoved: SignalConnections.Handler = { _, pad, data in
        guard let pad, let data else { return }
        Unmanaged<ElementTap>.fromOpaque(data)._withUnsafeGuaranteedRef { $0.remove(pad) }
    }

    private func add(_ pad: UnsafeMutablePointer<GstPad>) {
        // Only static pads carry RTP packets; RTCP enters by a request pad.
        if identifiesPackets, pad.pointee.padtemplate?.pointee.presence == GST_PAD_REQUEST { return }
        let role = role(of: pad)
        pads.withLock { pads in
            guard !pads.taps.contains(where: { $0.pad == pad }) else { return }
            let tap = makeTap(pad, role)
            pads.taps.append(tap)
            // The records are published before the first frame; the origins follow at the next refresh.
            pads.publish()
            if pads.hasProbes { tap.attach() }
        }
        changes.note()
    }

    private func remove(_ pad: UnsafeMutableRawPointer) {
        pads.withLock { pads in
            for tap in pads.taps where UnsafeMutableRawPointer(tap.pad) == pad {
                tap.detach()
                record.removePad(tap.record)
            }
            pads.taps.removeAll { UnsafeMutableRawPointer($0.pad) == pad }
            pads.publish()
        }
    }

    private func makeTap(_ pad: UnsafeMutablePointer<GstPad>, _ role: PadRecord.Role) -> PadTap {
        PadTap(
            pad, record: record.addPad(role, isOrdered: !identifiesPackets), quiet: record.quiet, clock: clock,
            changes: changes, recordsAge: role != .sink || isSink, identifiesPackets: identifiesPackets,
            traceName: traceName, isTraced: measuresPushes)
    }

    /// Sources and demuxers set the PTS of frames.
    private func role(of pad: UnsafeMutablePointer<GstPad>) -> PadRecord.Role {
        if gst_pad_get_direction(pad) == GST_PAD_SINK { return .sink }
        return raw.pointee.numsinkpads == 0 || classes.contains("Demuxer") ? .origin : .source
    }

    // MARK: Once a second, and after changes

    /// Turns source pads into origins if the element sets the PTS despite its sink pads, as a parser of a file does.
    func promoteOrigins() {
        pads.withLock { pads in
            let stamping = pads.taps.filter { $0.record.role == .source && $0.stampsFrames.load(ordering: .relaxed) }
            let sinks = pads.taps.map(\.record).filter { $0.role == .sink }
            // Frames must have entered, all without a PTS. Frames that were in the element before may have had a PTS.
            guard !stamping.isEmpty, sinks.allSatisfy({ $0.notedFrames == 0 }),
                sinks.contains(where: { $0.passedFrames > 0 })
            else { return }
            for tap in stamping { tap.record.becomeOrigin() }
        }
    }

    /// Discards the times of frames that have entered, so that their latencies are unknown when they leave.
    func forgetFrames() {
        for tap in pads.withLock({ $0.taps }) { tap.record.reset() }
    }

    /// Sets the records of the origins upstream, and publishes them to the pads.
    func publish(_ origins: [PadRecord], isRetimed: Bool) {
        pads.withLock { pads in
            pads.upstream = (origins, isRetimed)
            pads.publish()
        }
    }

    var origins: [PadRecord] { pads.withLock { $0.taps.map(\.record).filter { $0.role == .origin } } }

    /// Kernel ids of the threads that push through the source pads, or through the sink pads of a sink.
    public var threads: Set<Int32> {
        Set(
            pads.withLock { pads in
                pads.taps.filter { isSink || $0.record.role != .sink }.map { $0.thread.load(ordering: .relaxed) }
            }
        ).subtracting([0])
    }

    /// Whether the last frames left on other threads than those on which they entered.
    public var hasOwnThread: Bool {
        let threads = pads.withLock { pads in
            pads.taps.map { (isSink: $0.record.role == .sink, id: $0.thread.load(ordering: .relaxed)) }
        }.filter { $0.id != 0 }
        let (incoming, outgoing) = (threads.filter(\.isSink).map(\.id), threads.filter { !$0.isSink }.map(\.id))
        return !incoming.isEmpty && !outgoing.isEmpty && Set(incoming).isDisjoint(with: outgoing)
    }

    /// Values that the element reports; reading them locks mutexes of the element briefly.
    ///
    /// Counters only rise, although an element resets them at a flush or a restart.
    public var reported: [ElementSnapshot.Level] {
        var values: [ElementSnapshot.Level] = []
        host.withUnsafePointer { values = ReportedValues.read($0) }
        return counters.withLock { counters in values.map { counters.rising($0) } }
    }

    /// Whether raw video in system memory enters by the first sink pad.
    public var takesRawVideo: Bool {
        guard let pad = pads.withLock({ $0.taps.first { $0.record.role == .sink } })?.pad,
            let caps = gst_pad_get_current_caps(pad)
        else { return false }
        defer { gst_caps_unref(caps) }
        let features = gst_caps_get_features(caps, 0)
        return gst_structure_has_name(gst_caps_get_structure(caps, 0), "video/x-raw") != 0
            && (features == nil || gst_caps_features_contains(features, "memory:SystemMemory") != 0)
    }

    /// Frames per second in the caps of a source with one pad; nil if the framerate is absent or variable.
    public var framerate: Double? {
        let pads = pads.withLock { $0.taps }
        guard pads.count == 1, pads[0].record.role == .origin, let caps = gst_pad_get_current_caps(pads[0].pad) else {
            return nil
        }
        defer { gst_caps_unref(caps) }
        var (numerator, denominator): (gint, gint) = (0, 1)
        guard gst_structure_get_fraction(gst_caps_get_structure(caps, 0), "framerate", &numerator, &denominator) != 0,
            numerator > 0, denominator > 0
        else { return nil }
        return Double(numerator) / Double(denominator)
    }

    /// Time for which a jitter buffer waits for packets; nil in other elements.
    public var packetLatency: Duration? {
        guard identifiesPackets else { return nil }
        var latency: Double?
        host.withUnsafePointer { latency = ReportedValues.number(of: $0, "latency") }
        return latency.map { .milliseconds($0) }
    }

    /// Identities of the elements to which the source pads are linked, without bins.
    public var downstream: [UInt] { reference?.elementsLinkedDownstream().map(\.identity) ?? [] }

    /// Identity of the element; after its removal, another element may have the same identity.
    public var identity: UInt { UInt(bitPattern: raw) }
}

/// Counters that continue to rise although the element resets them.
struct RisingCounters {
    /// Last reading of each counter, and the sum of its values before each reset.
    private var counts: [String: (last: Double, before: Double)] = [:]

    /// Returns a counter plus its sum before resets; other values are unchanged.
    mutating func rising(_ value: ElementSnapshot.Level) -> ElementSnapshot.Level {
        guard value.isCounter else { return value }
        var (last, before) = counts["\(value.name)/\(value.detail)"] ?? (0, 0)
        if value.value < last { before += last }
        last = value.value
        counts["\(value.name)/\(value.detail)"] = (last, before)
        var value = value
        value.value += before
        return value
    }
}
