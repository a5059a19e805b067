import CGStreamer
import CSystem
import MonitorPolicy
import Threads
import Tracing
import struct Synchronization.Atomic
import func Synchronization.atomicMemoryFence

/// Records the frames that pass one pad, by a probe or by the hooks of a tracer.
///
/// `passes`, `pass` and `handle` run on the threads that push through the pad, usually one. They allocate no memory and
/// log nothing. For a frame, they lock the pad only to read its segment, and the alarm that wakes the monitor thread at
/// most once a second. All other methods run on the threads that add and remove elements.
final class PadTap: @unchecked Sendable {  // The streaming threads use only constants and atomics.
    let pad: UnsafeMutablePointer<GstPad>
    let record: PadRecord
    let neighbours = PublishedNeighbours()
    private let quiet: QuietTime
    private let clock: StreamClock
    private let changes: PipelineChanges
    private var links: SignalConnections
    private let recordsAge: Bool
    /// Whether frames are RTP packets that leave with another PTS; timestamp and sequence number identify them.
    private let identifiesPackets: Bool
    private let slices: TraceSlices
    private let arrivals: TraceInstant
    private var isAttached = false
    private var probe: gulong = 0
    private let isTraced: Bool

    private let segment = Segment()
    /// Address of the source pad that pushed the last frame; only a tracer sets it.
    let lastPeer = Atomic<UInt>(0)
    /// Whether the segment must be read from the sticky event, for example after a flush or a time without probe.
    let needsSegment = Atomic<Bool>(true)
    /// Kernel id of the thread that passed the last frame; 0 before the first frame.
    let thread = Atomic<Int32>(0)
    private let lastThread = Atomic<UInt>(0)
    /// Whether frames leave with a PTS that no entered frame has.
    let stampsFrames = Atomic<Bool>(false)
    private let lastNote = Atomic<UInt64>(0)
    /// Shortest time between two requests of a pad to refresh the origins, in nanoseconds: 1 s.
    private static let noteInterval: UInt64 = 1_000_000_000

    /// Creates a tap without a probe; `recordsAge` is set for source pads and for sinks.
    init(
        _ pad: UnsafeMutablePointer<GstPad>, record: PadRecord, quiet: QuietTime, clock: StreamClock,
        changes: PipelineChanges, recordsAge: Bool, identifiesPackets: Bool, traceName: TraceName, isTraced: Bool
    ) {
        slices = TraceSlices(traceName)
        // Arrivals are marked only in the trace, because other tracers can record them by the hooks of GStreamer.
        arrivals = TraceInstant(inTrace: traceName)
        self.isTraced = isTraced
        self.pad = pad
        self.record = record
        self.quiet = quiet
        self.clock = clock
        self.changes = changes
        links = changes.connect(to: pad)
        self.recordsAge = recordsAge
        self.identifiesPackets = identifiesPackets
        FramesOfList.prepare()
        gst_object_ref(pad)
    }

    deinit {
        links.disconnectAll()
        gst_object_unref(pad)
    }

    /// Discards the frames of the last recording; frames that entered between two recordings are unknown.
    func reset() {
        guard !isAttached else { return }
        let segment = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0)
        if let segment { gst_event_unref(segment) }
        record.restart(isLate: segment != nil)
    }

    /// Begins to record; the probe, or the table of the tracer, retains this object.
    func attach() {
        guard !isAttached else { return }
        reset()
        isAttached = true
        needsSegment.store(true, ordering: .relaxed)
        if isTraced, TracedPads.shared.insert(self) { return }
        let mask =
            GST_PAD_PROBE_TYPE_BUFFER.rawValue | GST_PAD_PROBE_TYPE_BUFFER_LIST.rawValue
            | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue | GST_PAD_PROBE_TYPE_EVENT_FLUSH.rawValue
        probe = gst_pad_add_probe(
            pad, GstPadProbeType(rawValue: mask),
            { _, info, data in
                if let info, let data {
                    Unmanaged<PadTap>.fromOpaque(data)._withUnsafeGuaranteedRef { $0.passes(info) }
                }
                return GST_PAD_PROBE_OK
            }, Unmanaged.passRetained(self).toOpaque(), { Unmanaged<PadTap>.fromOpaque($0!).release() })
    }

    /// Stops recording; a frame that is being recorded is completed.
    func detach() {
        guard isAttached else { return }
        isAttached = false
        if isTraced { TracedPads.shared.remove(self) }
        if probe != 0 { gst_pad_remove_probe(pad, probe) }
        probe = 0
    }

    // MARK: Streaming thread

    private func passes(_ info: UnsafeMutablePointer<GstPadProbeInfo>) {
        guard let data = info.pointee.data else { return }
        let type = info.pointee.type.rawValue
        if type & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 {
            let buffer = data.assumingMemoryBound(to: GstBuffer.self)
            pass(buffer, cgst_buffer_facts(buffer), now: UInt64(gst_util_get_timestamp()))
        } else if type & GST_PAD_PROBE_TYPE_BUFFER_LIST.rawValue != 0 {
            // If the pad divides the list, the probe is also called for each of its buffers.
            guard !FramesOfList.areDivided(by: pad) else { return }
            pass(OpaquePointer(data), now: UInt64(gst_util_get_timestamp()))
        } else if type & GST_PAD_PROBE_TYPE_EVENT_BOTH.rawValue != 0
            || type & GST_PAD_PROBE_TYPE_EVENT_FLUSH.rawValue != 0
        {
            handle(data.assumingMemoryBound(to: GstEvent.self))
        }
    }

    func pass(_ list: OpaquePointer, now: UInt64) {
        for index in 0..<gst_buffer_list_length(list) {
            if let buffer = gst_buffer_list_get(list, index) { pass(buffer, cgst_buffer_facts(buffer), now: now) }
        }
    }

    @inline(__always)
    func pass(_ buffer: UnsafeMutablePointer<GstBuffer>, _ facts: CgstBufferFacts, now: UInt64) {
        let time = runningTime(of: facts.pts)
        let frame = identifiesPackets && time != FrameTimes.noPTS ? UInt64(cgst_rtp_identity(buffer)) : time
        noteThread()
        quiet.frameArrived(now: now)
        neighbours.withCurrent { neighbours in
            if record.role == .source {
                if let entered = record.frameLeft(pts: frame, now: now, sinks: neighbours.sinks) {
                    slices.mark(from: entered, to: now, frame: TraceFrame(runningTime: time))
                } else if time != FrameTimes.noPTS {
                    stampsFrames.store(true, ordering: .relaxed)
                    noteUnknown(now)
                }
            }
            guard recordsAge else { return }
            // A frame begins at its origin and ends at a sink.
            if record.role != .source {
                arrivals.mark(frame: TraceFrame(runningTime: time), last: record.role == .sink)
            }
            if time == FrameTimes.noPTS {
                record.recordUnknownAge()
            } else if !neighbours.isRetimed, let age = clock.age(runningTime: time, now: now) {
                record.recordAge(age)
            } else if record.role != .origin,
                !record.recordAge(pts: time, now: now, origins: neighbours.origins)
            {
                noteUnknown(now)
            }
        }
        // The frame is counted last, so that it never counts as left before it counts as entered.
        record.framePassed(pts: frame, now: now, bytes: UInt64(facts.bytes))
    }

    /// Requests a refresh of the origins, because the frame may have passed a new link that emitted no signal.
    private func noteUnknown(_ now: UInt64) {
        guard now &- lastNote.load(ordering: .relaxed) > Self.noteInterval else { return }
        lastNote.store(now, ordering: .relaxed)
        changes.note()
    }

    /// Running time of a PTS, which identifies a frame in all segments; `FrameTimes.noPTS` outside of the segment.
    @inline(__always)
    private func runningTime(of pts: GstClockTime) -> UInt64 {
        guard pts != GstClockTime.max else { return FrameTimes.noPTS }
        if needsSegment.load(ordering: .relaxed) { readSegment() }
        return segment.runningTime(of: pts)
    }

    /// Reads the sticky segment, because a probe that was added while frames flow has not received its event.
    private func readSegment() {
        needsSegment.store(false, ordering: .relaxed)
        let isRead = segment.read(from: pad, orPeer: isTraced && record.role == .sink)
        if !isRead { needsSegment.store(true, ordering: .relaxed) }
    }

    private func noteThread() {
        let current = UInt(pthread_self())
        guard current != lastThread.load(ordering: .relaxed) else { return }
        lastThread.store(current, ordering: .relaxed)
        thread.store(cprocessor_thread_id(), ordering: .relaxed)
    }

    func handle(_ event: UnsafeMutablePointer<GstEvent>) {
        let now = UInt64(gst_util_get_timestamp())
        switch event.pointee.type {
        case GST_EVENT_SEGMENT:
            needsSegment.store(!segment.take(event), ordering: .relaxed)
        case GST_EVENT_FLUSH_STOP:
            record.restart(isLate: false)
            needsSegment.store(true, ordering: .relaxed)
            quiet.begin(now: now, until: .max)
            var startsAnew: gboolean = 0
            gst_event_parse_flush_stop(event, &startsAnew)
            if startsAnew != 0 { clock.restart() }
        case GST_EVENT_GAP:
            var (start, duration) = (GstClockTime(0), GstClockTime(0))
            gst_event_parse_gap(event, &start, &duration)
            let length = duration == GstClockTime.max ? 0 : UInt64(duration)
            quiet.begin(now: now, until: now.addingReportingOverflow(length).partialValue)
        case GST_EVENT_EOS:
            neighbours.withCurrent { record.streamEnded(sinks: $0.sinks) }
            quiet.begin(now: now, until: .max)
        default: break
        }
    }
}

enum FramesOfList {
    /// Default chain list function of a pad, which calls the chain function with each buffer.
    private static let dividingFunction: UInt = {
        guard let pad = gst_pad_new(nil, GST_PAD_SINK) else { return 0 }
        defer { gst_object_unref(gst_object_ref_sink(pad)) }
        return unsafeBitCast(pad.pointee.chainlistfunc, to: UInt.self)
    }()

    /// Initializes `dividingFunction` outside of streaming threads.
    static func prepare() { _ = dividingFunction }

    /// Whether the pad has the default chain list function, so that it also passes each buffer separately.
    static func areDivided(by pad: UnsafeMutablePointer<GstPad>) -> Bool {
        pad.pointee.direction == GST_PAD_SINK
            && unsafeBitCast(pad.pointee.chainlistfunc, to: UInt.self) == dividingFunction
    }
}

/// Neighbours of one pad; streaming threads read them without a mutex, another thread replaces them.
///
/// Several threads may read at once: an application may push EOS through a pad while a streaming thread pushes a frame.
/// A replaced value is released when no thread can use it.
final class PublishedNeighbours: Sendable {
    private let current = Atomic<Unmanaged<PadNeighbours>>(Unmanaged.passRetained(PadNeighbours()))
    /// Number of threads that may use `current` or a former value of it.
    private let users = Atomic<Int>(0)
    private let retired = Mutex<[Unmanaged<PadNeighbours>]>([])

    deinit {
        current.load(ordering: .relaxed).release()
        for old in retired.withLock({ $0 }) { old.release() }
    }

    /// Calls `body` with the neighbours, on the thread that pushes a frame.
    @inline(__always)
    func withCurrent(_ body: (PadNeighbours) -> Void) {
        users.add(1, ordering: .sequentiallyConsistent)
        current.load(ordering: .sequentiallyConsistent)._withUnsafeGuaranteedRef(body)
        users.subtract(1, ordering: .releasing)
    }

    /// Replaces the neighbours if they differ; called once a second, and when pads are added or removed.
    func replace(_ value: PadNeighbours) {
        retired.withLock { retired in
            let before = current.load(ordering: .relaxed)
            if !before._withUnsafeGuaranteedRef({ $0.isSame(as: value) }) {
                current.store(Unmanaged.passRetained(value), ordering: .sequentiallyConsistent)
                retired.append(before)
            }
            // A thread that increments `users` after this load uses the new value.
            guard !retired.isEmpty, users.load(ordering: .sequentiallyConsistent) == 0 else { return }
            for old in retired { old.release() }
            retired.removeAll()
        }
    }
}

extension PadTap {
    /// Segment of the frames that pass a pad.
    ///
    /// Several threads may push through one pad, such as the source pad of `input-selector`, and hooks of a tracer run
    /// before the stream lock of a sink pad is locked. No thread waits for another one.
    struct Segment: ~Copyable, Sendable {
        private let words = InlineArray<11, Atomic<UInt64>> { _ in Atomic(0) }
        /// First PTS whose running time is `pts + difference`, which requires the rate 1; `.max` at any other rate.
        private let first = Atomic<UInt64>(.max)
        private let last = Atomic<UInt64>(0)
        private let difference = Atomic<UInt64>(0)
        /// Whether the segment is in GST_FORMAT_TIME.
        private let isTimed = Atomic<Bool>(true)
        /// Number of begun and completed changes; odd during a change.
        private let changes = Atomic<UInt64>(0)

        init() {
            var segment = GstSegment()
            gst_segment_init(&segment, GST_FORMAT_TIME)
            _ = store(segment, isTimed: true)
        }

        /// Running time of a PTS; `FrameTimes.noPTS` outside of the segment, and while a thread changes the segment.
        @inline(__always)
        func runningTime(of pts: GstClockTime) -> UInt64 {
            let before = changes.load(ordering: .acquiring)
            let first = first.load(ordering: .relaxed)
            let last = last.load(ordering: .relaxed)
            let difference = difference.load(ordering: .relaxed)
            let isTimed = isTimed.load(ordering: .relaxed)
            guard pts >= first, pts <= last else { return otherRunningTime(of: pts, isTimed: isTimed, before) }
            return isUnchanged(since: before, pts, isTimed) ? UInt64(pts) &+ difference : FrameTimes.noPTS
        }

        /// Running time at another rate, or outside of the segment.
        private func otherRunningTime(of pts: GstClockTime, isTimed: Bool, _ before: UInt64) -> UInt64 {
            var segment = GstSegment()
            withUnsafeMutableBytes(of: &segment) { bytes in
                for index in words.indices {
                    bytes.storeBytes(
                        of: words[index].load(ordering: .relaxed), toByteOffset: index * 8, as: UInt64.self)
                }
            }
            guard isUnchanged(since: before, pts, isTimed) else { return FrameTimes.noPTS }
            return UInt64(gst_segment_to_running_time(&segment, GST_FORMAT_TIME, pts))
        }

        /// Whether the values that were read since `before` are of one segment, and `pts` is the time of a frame.
        @inline(__always)
        private func isUnchanged(since before: UInt64, _ pts: GstClockTime, _ isTimed: Bool) -> Bool {
            atomicMemoryFence(ordering: .acquiring)
            // GstBaseSrc sets PTS 0 on the first bytes of a file; this PTS is not the time of a frame.
            return before & 1 == 0 && changes.load(ordering: .relaxed) == before && (pts != 0 || isTimed)
        }

        /// Stores the segment of a SEGMENT event; returns false if another thread changes it.
        func take(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
            var new: UnsafePointer<GstSegment>?
            gst_event_parse_segment(event, &new)
            guard let new else { return true }
            var segment = new.pointee
            let isTimed = segment.format == GST_FORMAT_TIME
            if !isTimed { gst_segment_init(&segment, GST_FORMAT_TIME) }
            return store(segment, isTimed: isTimed)
        }

        private func store(_ segment: GstSegment, isTimed: Bool) -> Bool {
            let before = changes.load(ordering: .relaxed)
            guard before & 1 == 0,
                changes.compareExchange(expected: before, desired: before &+ 1, ordering: .acquiring).exchanged
            else { return false }
            // A reader that loads a new word also loads the odd number, and discards the words.
            atomicMemoryFence(ordering: .releasing)
            withUnsafeBytes(of: segment) { bytes in
                for index in words.indices {
                    words[index].store(bytes.load(fromByteOffset: index * 8, as: UInt64.self), ordering: .relaxed)
                }
            }
            let first = UInt64(segment.start &+ segment.offset)
            let isSum = segment.rate == 1 && first >= UInt64(segment.start)
            self.first.store(isSum ? first : .max, ordering: .relaxed)
            last.store(UInt64(segment.stop), ordering: .relaxed)
            difference.store(UInt64(segment.base) &- first, ordering: .relaxed)
            self.isTimed.store(isTimed, ordering: .relaxed)
            changes.store(before &+ 2, ordering: .releasing)
            return true
        }

        /// Reads the sticky segment of a pad, or with `orPeer` the segment of its peer if the pad has none.
        ///
        /// A hook runs before the sink pad receives the sticky events that precede the buffer. Returns false if another
        /// thread changes the segment.
        func read(from pad: UnsafeMutablePointer<GstPad>, orPeer: Bool) -> Bool {
            guard let event = Self.sticky(of: pad) ?? (orPeer ? Self.stickyOfPeer(of: pad) : nil) else { return true }
            defer { gst_event_unref(event) }
            return take(event)
        }

        private static func stickyOfPeer(of pad: UnsafeMutablePointer<GstPad>) -> UnsafeMutablePointer<GstEvent>? {
            guard let peer = gst_pad_get_peer(pad) else { return nil }
            defer { gst_object_unref(peer) }
            return sticky(of: peer)
        }

        private static func sticky(of pad: UnsafeMutablePointer<GstPad>) -> UnsafeMutablePointer<GstEvent>? {
            gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0)
        }
    }
}
