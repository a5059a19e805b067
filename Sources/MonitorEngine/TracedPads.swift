import Threads
import struct Synchronization.Atomic

/// Pads that a tracer records, by address; streaming threads look them up without a mutex.
///
/// The table has a fixed size. `insert`, `remove` and `collect` lock a mutex, so no streaming thread calls them.
final class TracedPads: Sendable {
    static let shared = TracedPads()

    private struct Slot: ~Copyable {
        let key = Atomic<UInt>(0)
        /// A retained `PadTap`, or 0.
        let tap = Atomic<UInt>(0)
    }

    /// Number of taps, and the removed taps with the threads that may still use them.
    private struct Changes {
        var count = 0
        var retired: [(tap: Unmanaged<PadTap>, users: [(thread: PushThread, hook: UInt64)])] = []
    }

    private static let size = 4096
    private static let longestWay = 64
    private static let removed: UInt = 1

    // The pointer is constant, and the slots are atomic.
    private nonisolated(unsafe) let slots: UnsafeMutablePointer<Slot>
    private let changes = ProcessMutex(Changes())

    private init() {
        slots = .allocate(capacity: Self.size)
        for index in 0..<Self.size { (slots + index).initialize(to: Slot()) }
    }

    /// Calls `body` with the tap of a pad; call it inside of `PushThread.inHook`.
    @inline(__always)
    func withTap(of pad: UInt, _ body: (PadTap) -> Void) {
        var index = Self.place(of: pad)
        for _ in 0..<Self.longestWay {
            let slot = slots + index
            let key = slot.pointee.key.load(ordering: .acquiring)
            if key == pad {
                guard let bits = UnsafeRawPointer(bitPattern: slot.pointee.tap.load(ordering: .sequentiallyConsistent))
                else { return }
                return Unmanaged<PadTap>.fromOpaque(bits)._withUnsafeGuaranteedRef { tap in
                    // The slot may belong to another pad by now.
                    if UInt(bitPattern: tap.pad) == pad { body(tap) }
                }
            }
            if key == 0 { return }
            index = (index + 1) & (Self.size - 1)
        }
    }

    /// Adds a tap, so that its pad is recorded; returns false if the table is full.
    func insert(_ tap: PadTap) -> Bool {
        let pad = UInt(bitPattern: tap.pad)
        return changes.withLock { changes in
            guard changes.count < Self.size / 2, let index = slot(of: pad, with: 0) else { return false }
            let bits = UInt(bitPattern: Unmanaged.passRetained(tap).toOpaque())
            slots[index].tap.store(bits, ordering: .sequentiallyConsistent)
            slots[index].key.store(pad, ordering: .releasing)
            changes.count += 1
            return true
        }
    }

    /// Removes a tap, and releases the tap when no hook can use it any more.
    func remove(_ tap: PadTap) {
        let bits = UInt(bitPattern: Unmanaged.passUnretained(tap).toOpaque())
        changes.withLock { changes in
            guard let index = slot(of: UInt(bitPattern: tap.pad), with: bits) else { return }
            slots[index].tap.store(0, ordering: .sequentiallyConsistent)
            slots[index].key.store(Self.removed, ordering: .releasing)
            clear(backFrom: index)
            changes.count -= 1
            changes.retired.append((Unmanaged.passUnretained(tap), PushThread.inHooks))
        }
        collect()
    }

    /// First slot in the search order of `pad` whose tap is `tap`; pass 0 to find an empty slot.
    private func slot(of pad: UInt, with tap: UInt) -> Int? {
        let way = (0..<Self.longestWay).lazy.map { (Self.place(of: pad) + $0) & (Self.size - 1) }
        return way.first { self.slots[$0].tap.load(ordering: .relaxed) == tap }
    }

    func collect() {
        let free = changes.withLock { changes in
            var free: [Unmanaged<PadTap>] = []
            changes.retired.removeAll { old in
                guard old.users.allSatisfy({ !$0.thread.isStill(in: $0.hook) }) else { return false }
                free.append(old.tap)
                return true
            }
            return free
        }
        for tap in free { tap.release() }
    }

    /// Marks removed slots as empty if no search continues past them.
    private func clear(backFrom index: Int) {
        var index = index
        while slots[(index + 1) & (Self.size - 1)].key.load(ordering: .relaxed) == 0,
            slots[index].key.load(ordering: .relaxed) == Self.removed
        {
            slots[index].key.store(0, ordering: .relaxed)
            index = (index + Self.size - 1) & (Self.size - 1)
        }
    }

    @inline(__always)
    private static func place(of pad: UInt) -> Int {
        Int(truncatingIfNeeded: ((pad >> 4) &* 0x9E37_79B9_7F4A_7C15) >> 52)
    }
}
