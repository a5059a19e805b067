import CSystem

/// Records a trace of the process until it is finished or destroyed; `drain` returns bytes to append to the file.
///
/// Use a writer on one thread, which must not be a streaming thread. Call `drain` once a second, or before a thread
/// records more than 4,096 marks. A process records one trace at a time. ui.perfetto.dev opens the file.
public struct TraceWriter: ~Copyable, Sendable {
    private let session: UInt64
    private let store: RingStore
    private let start: UInt64
    private var encoder: TraceEncoder
    // For each ring, the number of lost records that the trace contains.
    private var lost: [UInt64]
    private var unplaced: UInt64

    /// Begins to record; the trace ends at `maximumBytes` at the latest, and its last mark then gives this reason.
    public init(processName: String, maximumBytes: Int = 64 << 20) throws(TraceError) {
        let clocks = TraceClocks.now
        let process = ctracing_process_id()
        // The compiler of Swift 6.2 crashes if a property is initialized before a call that throws.
        let (session, store) = try TraceRecorder.start()
        start = clocks.monotonic
        encoder = TraceEncoder(
            process: process, name: processName, clocks: clocks, seed: clocks.monotonic ^ (UInt64(process) << 40),
            maximumBytes: maximumBytes)
        (self.session, self.store) = (session, store)
        lost = []
        for index in 0..<store.count { lost.append(unsafe store[index].pointee.lost) }
        unplaced = TraceRecorder.unplaced.load(ordering: .relaxed)
    }

    deinit { if !encoder.isFinished { TraceRecorder.stop() } }

    /// Empties the rings; returns the bytes to append to the file.
    public mutating func drain() -> [UInt8] {
        guard !encoder.isFinished else { return encoder.takeBytes() }
        // Rings of threads that have ended are drained first, because a new thread may have the same id.
        for index in 0..<store.count where unsafe store[index].pointee.owner.stage == .left { drain(index) }
        for index in 0..<store.count { drain(index) }
        let missing = TraceRecorder.unplaced.load(ordering: .relaxed)
        encoder.addLost(missing &- unplaced, of: nil, reason: "too many threads", time: ctracing_monotonic())
        unplaced = missing
        encoder.writeSlices()
        if encoder.isFinished { TraceRecorder.stop() } else { store.provide(TraceRecorder.ringsAtHand / 2) }
        return encoder.takeBytes()
    }

    /// Ends the trace, and returns its last bytes; concurrent marks may be missing.
    public mutating func finish() -> [UInt8] {
        guard !encoder.isFinished else { return encoder.takeBytes() }
        TraceRecorder.stop()
        let bytes = drain()
        let clocks = TraceClocks.now
        encoder.finish("stopped", time: clocks.monotonic, clocks: clocks)
        store.discardPages()
        return bytes + encoder.takeBytes()
    }

    private mutating func drain(_ index: Int) {
        let ring = unsafe store[index]
        let stage = unsafe ring.pointee.owner.stage
        guard stage == .taken || stage == .left else { return }
        let thread = unsafe ring.pointee.owner.thread
        let missing = unsafe ring.pointee.lost
        if unsafe !ring.pointee.isEmpty || missing != lost[index] {
            nameThread(thread, unsafe ring.pointee.owner.name, hasEnded: stage == .left)
            unsafe take(ring, thread)
            encoder.addLost(missing &- lost[index], of: thread, reason: "ring full")
            lost[index] = missing
        }
        if stage == .left { unsafe ring.pointee.owner.free() }
    }

    private mutating func take(_ ring: UnsafeMutablePointer<RecordRing>, _ thread: Int32) {
        unsafe ring.pointee.take { [session, start] record in
            // A thread that was recording a mark when an earlier session ended may have appended the mark since.
            guard record.session == session & 7, record.kind == .slice || record.time >= start else { return }
            encoder.add(record, of: thread)
        }
    }

    private mutating func nameThread(_ thread: Int32, _ first: ThreadName, hasEnded: Bool) {
        let name = hasEnded ? first : ThreadName.now(of: thread) ?? first
        encoder.name(thread, name.text.isEmpty ? "thread" : name.text)
    }
}
