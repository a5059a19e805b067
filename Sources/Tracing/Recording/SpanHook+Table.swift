import Threads
import struct Synchronization.Atomic

extension SpanHook {
    /// Table of the objects that a receiver of `SpanHook` has registered, one for each name; reading it locks no mutex.
    ///
    /// Entries are never removed. Store the table in a static property, as its `ProcessMutex` requires.
    public final class Table: Sendable {
        /// Maximum number of entries; the remaining slots are empty, and each search ends at an empty slot.
        public static let limit = 128
        private static let slots = 256

        private let keys = InlineArray<256, Atomic<UInt64>> { _ in Atomic(0) }
        private let values = InlineArray<256, Atomic<UInt>> { _ in Atomic(0) }
        private let count = ProcessMutex(0)

        /// Creates a table without entries.
        public init() {}

        /// Returns the value for a key other than 0; calls `make` for a new key, and returns 0 if the table is full.
        ///
        /// The function locks a mutex only for a new key; `make` must lock no `ProcessMutex` and must not fork.
        public func value(for key: UInt64, make: () -> UInt) -> UInt { find(key) ?? add(key, make) }

        private func find(_ key: UInt64) -> UInt? {
            var slot = Self.slot(of: key)
            while true {
                let found = keys[slot].load(ordering: .acquiring)
                if found == key { return values[slot].load(ordering: .relaxed) }
                if found == 0 { return nil }
                slot = (slot + 1) & (Self.slots - 1)
            }
        }

        private func add(_ key: UInt64, _ make: () -> UInt) -> UInt {
            count.withLock { count in
                // Another thread may have added the key meanwhile.
                if let known = find(key) { return known }
                guard count < Self.limit else { return 0 }
                count += 1
                let value = make()
                var slot = Self.slot(of: key)
                while keys[slot].load(ordering: .relaxed) != 0 { slot = (slot + 1) & (Self.slots - 1) }
                values[slot].store(value, ordering: .relaxed)
                keys[slot].store(key, ordering: .releasing)
                return value
            }
        }

        /// The multiplier of Knuth's multiplicative hashing is 2^64 divided by the golden ratio.
        private static func slot(of key: UInt64) -> Int { Int((key &* 0x9E37_79B9_7F4A_7C15) >> 56) }
    }
}
