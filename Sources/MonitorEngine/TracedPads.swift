import Threads
import struct Synchronization.Atomic

/// Pads that a tracer records, by address; streaming threads look them up without a mutex.
///
/// A fixed table with open addressing. `insert`, `remove` and `collect` lock a mutex; no streaming thread calls them.
final class TracedPads: Sendable {
    static let shared = TracedPads()

    private struct Slot: ~Copyable {
        let key = Atomic<UInt>(0)
        /// A retained `PadTap`, or 0.
        let tap = Atomic<UInt>(0)
    }

    private struct Table: @unchecked Sendable {  // Constant; the slots are atomic.
        let slots: UnsafeMutablePointer<Slot>
    }

    /// Removed taps, and the threads that may still use them.
    private struct Changes {
        var count = 0
        var retired: [(tap: Unmanaged<PadTap>, users: [(thread: PushThread, hook: UInt64)])] = []
    }

    private static let size = 4096
    private static let longestWay = 64
    private static let removed: UInt = 1

    private let table: Table
    private let changes = ProcessMutex(Changes())

    private init() {
        let slots = UnsafeMutablePointer<Slot>.allocate(capacity: Self.size)
        for index in 0..<Self.size { (slots + index).initialize(to: Slot()) }
        table = Table(slots: slots)
    }

    /// Calls `body` with the tap of a pad; call it inside of `PushThread.inHook`.
    @inline(__always)
    func withTap(of pad: UInt, _ body: (PadTap) -> Void) {
        var index = Self.place(of: pad)
        for _ in 0..<Self.longestWay {
            let slot = table.slots + index
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
            guard changes.count < Self.size / 2 else { return false }
            var index = Self.place(of: pad)
            for _ in 0..<Self.longestWay {
                let slot = table.slots + index
                if slot.pointee.tap.load(ordering: .relaxed) == 0 {
                    let bits = UInt(bitPattern: Unmanaged.passRetained(tap).toOpaque())
                    slot.pointee.tap.store(bits, ordering: .sequentiallyConsistent)
                    slot.pointee.key.store(pad, ordering: .releasing)
                    changes.count += 1
                    return true
                }
                index = (index + 1) & (Self.size - 1)
            }
            return false
        }
    }

    /// Removes a tap; it is released when no hook can use it.
    func remove(_ tap: PadTap) {
        let bits = UInt(bitPattern: Unmanaged.passUnretained(tap).toOpaque())
        changes.withLock { changes in
            var index = Self.place(of: UInt(bitPattern: tap.pad))
            for _ in 0..<Self.longestWay {
                let slot = table.slots + index
                if slot.pointee.tap.load(ordering: .relaxed) == bits {
                    slot.pointee.tap.store(0, ordering: .sequentiallyConsistent)
                    slot.pointee.key.store(Self.removed, ordering: .releasing)
                    clear(backFrom: index)
                    changes.count -= 1
                    return changes.retired.append((Unmanaged.passUnretained(tap), PushThread.inHooks))
                }
                index = (index + 1) & (Self.size - 1)
            }
        }
        collect()
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
        while table.slots[(index + 1) & (Self.size - 1)].key.load(ordering: .relaxed) == 0,
            table.slots[index].key.load(ordering: .relaxed) == Self.removed
        {
            table.slots[index].key.store(0, ordering: .relaxed)
            index = (index + Self.size - 1) & (Self.size - 1)
        }
    }

    @inline(__always)
    private static func place(of pad: UInt) -> Int {
        Int(truncatingIfNeeded: ((pad >> 4) &* 0x9E37_79B9_7F4A_7C15) >> 52)
    }
}
