import CSystem
import Synchronization

/// Ring buffer for the records of one thread: that thread appends, and the writer takes.
///
/// A full ring refuses the newest record and counts it. Neither side waits for the other, and no record is read before it
/// is whole. Indices only rise; they are not set back between sessions.
@safe struct RecordRing: ~Copyable {
    private let records: UnsafeMutablePointer<TraceRecord>
    /// Number of records that fit; a power of two.
    let capacity: UInt64

    // Written by the thread that appends. These fields are atomic, because the writer reads some of them.
    private let head = Atomic<UInt64>(0)
    private let knownTail = Atomic<UInt64>(0)
    private let lostRecords = Atomic<UInt64>(0)
    /// Number of spans that are open.
    let depth = Atomic<UInt64>(0)
    /// State of `ctracing_load_state` under which the thread appended last.
    let session = Atomic<UInt64>(0)

    // The writer's index lies on cache lines of its own.
    private let padding = [16 of UInt64](repeating: 0)
    private let tail = Atomic<UInt64>(0)

    /// The thread that appends to the ring.
    let owner = RingOwner()

    /// A ring in memory that outlives it.
    init(_ records: UnsafeMutablePointer<TraceRecord>, capacity: Int) {
        unsafe self.records = unsafe records
        self.capacity = UInt64(capacity)
    }

    /// Number of records lost since the process began, because the ring was full.
    var lost: UInt64 { lostRecords.load(ordering: .relaxed) }

    /// Returns whether a record and `reserve` more fit; counts a record as lost if they do not.
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

    /// Counts a record that was not appended.
    func countLost() { lostRecords.store(lost &+ 1, ordering: .relaxed) }

    /// Appends a record.
    ///
    /// Call it only after `hasRoom` has returned true.
    func append(_ record: TraceRecord) {
        let head = head.load(ordering: .relaxed)
        unsafe records[Int(truncatingIfNeeded: head & (capacity &- 1))] = record
        self.head.store(head &+ 1, ordering: .releasing)
    }

    /// Takes the records that are there now, oldest first.
    func take(_ use: (TraceRecord) -> Void) {
        let head = head.load(ordering: .acquiring)
        var tail = tail.load(ordering: .relaxed)
        while tail != head {
            use(unsafe records[Int(truncatingIfNeeded: tail & (capacity &- 1))])
            tail &+= 1
            // Stored after each record, so that the appending thread soon has room again.
            self.tail.store(tail, ordering: .releasing)
        }
    }

    /// Drops the records that are there now.
    func clear() { tail.store(head.load(ordering: .acquiring), ordering: .releasing) }

    /// Whether the ring contains no record.
    var isEmpty: Bool { head.load(ordering: .acquiring) == tail.load(ordering: .relaxed) }

    /// Makes the kernel allocate the memory now.
    func providePages() { unsafe ctracing_provide(records, byteCount) }

    /// Gives the memory back to the kernel.
    func discardPages() { unsafe ctracing_discard(records, byteCount) }

    private var byteCount: Int { Int(capacity) * MemoryLayout<TraceRecord>.stride }
}

/// The thread that owns a ring, and the stages of the ring from one thread to the next.
///
/// Free → taken by a thread at its first mark → left when the thread ends → free again when the writer has emptied it.
struct RingOwner: ~Copyable {
    /// The stages of a ring, and the threads that may use it in each.
    enum Stage: UInt8, AtomicRepresentable {
        /// A thread may take it.
        case free
        /// A thread stores its id and name; no other thread uses the ring.
        case entering
        /// The thread appends, the writer takes.
        case taken
        /// The thread has ended; the writer takes what is left.
        case left
    }

    private let stageNow = Atomic(Stage.free)
    private let threadNumber = Atomic<Int32>(0)
    // The name's 16 bytes.
    private let nameStart = Atomic<UInt64>(0)
    private let nameRest = Atomic<UInt64>(0)
    private let useCount = Atomic<UInt64>(0)

    var stage: Stage { stageNow.load(ordering: .acquiring) }
    /// The kernel's id of the thread.
    var thread: Int32 { threadNumber.load(ordering: .relaxed) }
    /// The name that the thread had when it took the ring.
    var name: ThreadName {
        ThreadName(words: (nameStart.load(ordering: .relaxed), nameRest.load(ordering: .relaxed)))
    }
    /// How many threads have taken the ring.
    var uses: UInt64 { useCount.load(ordering: .relaxed) }

    /// Takes the ring for the calling thread, unless another has it.
    func take() -> Bool {
        // The load avoids a write: while all rings are taken, a thread without a ring checks each of them at each mark.
        guard stageNow.load(ordering: .relaxed) == .free,
            stageNow.compareExchange(expected: .free, desired: .entering, ordering: .acquiring).exchanged
        else { return false }
        threadNumber.store(ctracing_thread_id(), ordering: .relaxed)
        let name = ThreadName.current
        nameStart.store(name.words.0, ordering: .relaxed)
        nameRest.store(name.words.1, ordering: .relaxed)
        useCount.store(uses &+ 1, ordering: .relaxed)
        stageNow.store(.taken, ordering: .releasing)
        return true
    }

    /// The thread ends.
    func leave() { stageNow.store(.left, ordering: .releasing) }

    /// The writer has emptied a ring that was left.
    func free() { stageNow.store(.free, ordering: .releasing) }
}
