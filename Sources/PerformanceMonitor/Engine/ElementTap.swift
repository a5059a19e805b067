import CGStreamer
import GStreamer
public import MonitorPolicy
import Synchronization
import Tracing

/// An element that is watched: probes on its pads, and what can be asked of it.
///
/// Any thread but a streaming thread may call it.
public final class ElementTap: @unchecked Sendable {  // The C object is only used through MT safe calls.
    /// Frames and latencies.
    public let record: ElementRecord
    /// Identifies the element; no other in the process ever has the same.
    public let id: Int
    /// Kinds by which targets may mean it: `source`, `sink`, `encoder`, `decoder`, `queue`, `muxer` and so on.
    public let kinds: [String]
    /// Whether one frame that enters is one that leaves.
    public let keepsFrames: Bool
    private let classes: [String]
    private static let lastID = Atomic<Int>(0)
    let reference: ElementReference
    let raw: UnsafeMutablePointer<GstElement>
    private let clock: StreamClock
    private let traceName: TraceName
    private let taps = Mutex<[PadTap]>([])
    private let signals: Mutex<SignalConnections>

    init(_ raw: UnsafeMutablePointer<GstElement>, clock: StreamClock, now: UInt64) {
        self.raw = raw
        self.clock = clock
        reference = ElementReference(unsafe: UnsafeMutableRawPointer(raw))
        id = Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
        classes = reference.classes
        traceName = TraceName(registering: reference.name)
        let factory = reference.factory
        kinds = classes.map { $0.lowercased() } + (factory.contains("queue") ? ["queue"] : [])
        // Muxers, demuxers, parsers and payloaders divide and join frames; audio codecs do, too.
        keepsFrames =
            !classes.contains { ["Muxer", "Demuxer", "Parser", "Payloader", "Depayloader"].contains($0) }
            && !(classes.contains("Codec") && classes.contains("Audio"))
        record = ElementRecord(name: reference.name, factory: factory, now: now)
        signals = Mutex(SignalConnections(raw))
    }

    deinit { detach() }

    // MARK: Probes

    /// Adds probes to all pads, and to those that the element gets later.
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

    /// Removes all probes. The figures stay.
    func detach() {
        signals.withLock { $0.disconnectAll() }
        for tap in taps.withLock({ taps in
            defer { taps = [] }
            return taps
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
        let role = role(of: pad)
        taps.withLock { taps in
            guard !taps.contains(where: { $0.pad == pad }) else { return }
            taps.append(makeTap(pad, role))
        }
    }

    private func remove(_ pad: UnsafeMutableRawPointer) {
        taps.withLock { taps in
            for tap in taps where UnsafeMutableRawPointer(tap.pad) == pad { tap.detach() }
            taps.removeAll { UnsafeMutableRawPointer($0.pad) == pad }
        }
    }

    private func makeTap(_ pad: UnsafeMutablePointer<GstPad>, _ role: PadRecord.Role) -> PadTap {
        let tap = PadTap(
            pad, record: record.addPad(role), quiet: record.quiet, clock: clock,
            recordsAge: role != .sink || isSink, traceName: traceName)
        tap.attach()
        return tap
    }

    /// Frames receive their PTS in sources and demuxers.
    private func role(of pad: UnsafeMutablePointer<GstPad>) -> PadRecord.Role {
        if gst_pad_get_direction(pad) == GST_PAD_SINK { return .sink }
        return raw.pointee.numsinkpads == 0 || classes.contains("Demuxer") ? .origin : .source
    }

    /// Whether frames end here.
    public var isSink: Bool { cgst_is_sink(raw) != 0 }

    // MARK: Once a second

    /// Source pads at which frames receive their PTS, although the element has sink pads, as those of a parser of a
    /// file have, become origins.
    func promoteOrigins() {
        taps.withLock { taps in
            let sinksAreBlank = taps.allSatisfy { $0.record.role != .sink || $0.record.notedFrames == 0 }
            guard sinksAreBlank, taps.contains(where: { $0.record.role == .sink }) else { return }
            for (index, tap) in taps.enumerated() where tap.record.role == .source {
                let counts = tap.record.read()
                guard counts.frames > 0, counts.age.unknown < counts.frames else { continue }
                tap.detach()
                taps[index] = makeTap(tap.pad, .origin)
            }
        }
    }

    /// Forgets the frames that have entered; those that leave later have no known latency.
    func forgetFrames() {
        for tap in taps.withLock({ $0 }) { tap.record.reset() }
    }

    /// Gives each pad the records it compares frames with.
    func publish(_ origins: [PadRecord], isRetimed: Bool) {
        let taps = taps.withLock { $0 }
        let sinks = taps.map(\.record).filter { $0.role == .sink }
        for tap in taps {
            tap.neighbours.replace(PadNeighbours(sinks: sinks, origins: origins, isRetimed: isRetimed))
        }
    }

    /// The records of source pads at which frames receive their PTS.
    var origins: [PadRecord] { taps.withLock { $0.map(\.record).filter { $0.role == .origin } } }

    /// Kernel ids of the threads that pass frames through source pads, and of those that bring frames to a sink.
    public var threads: Set<Int32> {
        let isSink = isSink
        return Set(
            taps.withLock { taps in
                taps.filter { isSink || $0.record.role != .sink }.map { $0.thread.load(ordering: .relaxed) }
            }
        ).subtracting([0])
    }

    /// Values that the element itself reports; it takes the locks of the element for a moment.
    public var reported: [ReportedValue] { ReportedValues.read(raw) }

    /// Names of the elements that the source pads lead to, without bins.
    public var downstream: [String] { reference.elementsLinkedDownstream().map(\.name) }
}
