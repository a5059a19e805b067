import CSystem
import Synchronization

/// Ring buffer for the records of one thread: the thread appends records, the writer removes them.
///
/// A full ring refuses the newest record and counts it as lost. Neither thread waits for the other, and a record is
/// read only after it is complete. Indices only rise, even between sessions.
@safe struct RecordRing: ~Copyable {
    private let records: UnsafeMutablePointer<TraceRecord>
    /// Maximum number of records; a power of two.
    let capacity: UInt64

    // The thread that appends writes these fields; they are atomic because the writer reads some of them.
    private let head = Atomic<UInt64>(0)
    private let knownTail = Atomic<UInt64>(0)
    private let lostRecords = Atomic<UInt64>(0)
    /// Number of open spans.
    let depth = Atomic<UInt64>(0)
    /// Number of the session in which the thread last recorded a mark.
    let session = Atomic<UInt64>(0)

    // The index of the writer is on its own cache lines.
    private let padding = [16 of UInt64](repeating: 0)
    private let tail = Atomic<UInt64>(0)

    let owner = RingOwner()

    /// Creates a ring in memory that outlives it.
    init(_ records: UnsafeMutablePointer<TraceRecord>, capacity: Int) {
        unsafe self.records = unsafe records
        self.capacity = UInt64(capacity)
    }

    /// Number of marks lost since the process began, because the ring was full or spans were nested too deeply.
    var lost: UInt64 { lostRecords.load(ordering: .relaxed) }

    /// Returns whether the ring has room for one record and `reserve` further ones; if not, counts a lost record.
    func hasRoom(reserve: UInt64) -> Bool {
        let wanted = reserve &+ 1
        let head = head.load(ordering: .relaxed)
        if capacity &- (head &- knownTail.load(ordering: .relaxed)) >= wanted { return true }
        let tail = tail.load(ordering: .acquiring)
        knownTail.store(tail, ordering: .relaxed)
        if capacity &- (head &- tail) >= wanted { return true }
        countLost()
        return false
    }

    func countLost() { lostRecords.store(lost &+ 1, ordering: .relaxed) }

    /// Appends a record; call it only after `hasRoom` has returned true.
    func append(_ record: TraceRecord) {
        let head = head.load(ordering: .relaxed)
        unsafe records[Int(truncatingIfNeeded: head & (capacity &- 1))] = record
        self.head.store(head &+ 1, ordering: .releasing)
    }

    /// Removes the records that the ring contains now, oldest first.
    func take(_ use: (TraceRecord) -> Void) {
        let head = head.load(ordering: .acquiring)
        var tail = tail.load(ordering: .relaxed)
        while tail != head {
            use(unsafe records[Int(truncatingIfNeeded: tail & (capacity &- 1))])
            tail &+= 1
            // The index is stored after each record, so that the appending thread has room again early.
            self.tail.store(tail, ordering: .releasing)
        }
    }

    func clear() { tail.store(head.load(ordering: .acquiring), ordering: .releasing) }

    var isEmpty: Bool { head.load(ordering: .acquiring) == tail.load(ordering: .relaxed) }

    /// Requests the memory from the kernel in advance.
    func providePages() { unsafe ctracing_provide(records, byteCount) }

    /// Returns the memory to the kernel.
    func discardPages() { unsafe ctracing_discard(records, byteCount) }

    private var byteCount: Int { Int(capacity) * MemoryLayout<TraceRecord>.stride }
}

/// The thread that owns a ring, and the stages of the ring from one thread to the next.
///
/// A thread takes a free ring at its first mark, and leaves the ring when it ends. The emptied ring is free again.
struct RingOwner: ~Copyable {
    enum Stage: UInt8, AtomicRepresentable {
        /// A thread may take the ring.
        case free
        /// A thread stores its id and name; no other thread uses the ring.
        case entering
        /// The thread appends records, and the writer removes them.
        case taken
        /// The thread has ended; the writer removes the remaining records.
        case left
    }

    private let stageNow = Atomic(Stage.free)
    private let threadNumber = Atomic<Int32>(0)
    // The 16 bytes of the name.
    private let nameStart = Atomic<UInt64>(0)
    private let nameRest = Atomic<UInt64>(0)

    var stage: Stage { stageNow.load(ordering: .acquiring) }
    /// Kernel id of the thread.
    var thread: Int32 { threadNumber.load(ordering: .relaxed) }
    /// Name of the thread when it took the ring.
    var name: ThreadName {
        ThreadName(words: (nameStart.load(ordering: .relaxed), nameRest.load(ordering: .relaxed)))
    }

    /// Takes the ring for the calling thread, unless another thread has it.
    func take() -> Bool {
        // The load avoids a write: while all rings are in use, a thread without a ring checks each ring at each mark.
        guard stageNow.load(ordering: .relaxed) == .free,
            stageNow.compareExchange(expected: .free, desired: .entering, ordering: .acquiring).exchanged
        else { return false }
        threadNumber.store(cprocessor_thread_id(), ordering: .relaxed)
        let name = ThreadName.current
        nameStart.store(name.words.0, ordering: .relaxed)
        nameRest.store(name.words.1, ordering: .relaxed)
        stageNow.store(.taken, ordering: .releasing)
        return true
    }

    /// Called when the thread ends.
    func leave() { stageNow.store(.left, ordering: .releasing) }

    /// Called when the writer has emptied a ring whose thread has ended.
    func free() { stageNow.store(.free, ordering: .releasing) }
}
