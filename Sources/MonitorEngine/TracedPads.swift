import Threads
import struct Synchronization.Atomic

/// The pads that a tracer records, by their address: streaming threads look them up without a lock.
///
/// A fixed table with open addressing. `insert`, `remove` and `collect` take a mutex; no streaming thread calls them.
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

    /// Taps that were removed, and the threads that may still use them.
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

    /// Lends the tap of a pad; call it between `enter` and `leave` of the thread.
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
                    // The slot may have been given to another pad in between.
                    if UInt(bitPattern: tap.pad) == pad { body(tap) }
                }
            }
            if key == 0 { return }
            index = (index + 1) & (Self.size - 1)
        }
    }

    /// Records the pad of a tap from now on; false when the table is full.
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

    /// Ends the record of a pad; the tap is released when no hook can use it any more.
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

    /// Releases the taps that no hook can use any more.
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

    /// Makes removed slots empty again if no way leads past them.
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
