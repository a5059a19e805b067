import CSystem
import Synchronization

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
