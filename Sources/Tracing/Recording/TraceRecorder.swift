import CSystem
import Threads
import struct Synchronization.Atomic

/// Recorder of this plugin file: its rings, and whether marks are recorded.
enum TraceRecorder {
    /// Bit that is set while marks are recorded.
    static let recordingBit: UInt64 = 1
    /// Bit that is set while spans and instants are sent to the hook.
    static let hookBit: UInt64 = 2

    /// Rings of 4,096 records for 256 threads: 32 MB of address space; a thread that records marks uses 128 KiB.
    static let store = RingStore(rings: 256, records: 4096)

    /// Number of records of threads that found no free ring.
    static let unplaced = Atomic<UInt64>(0)

    /// Number of free rings whose memory is allocated in advance.
    static let ringsAtHand = 16

    private struct Control {
        var session: UInt64 = 0
        var isRecording = false
        /// `ForkCount.now` at the start of the session; it differs in a child, which does not record for its parent.
        var forks: UInt32 = 0
        var isHooked = false
        var isOpen = false

        func publish() {
            ctracing_store_state(
                isRecording || isHooked
                    ? (session << 8) | (isRecording ? recordingBit : 0) | (isHooked ? hookBit : 0) : 0)
        }
    }

    private static let control = ProcessMutex(Control())

    /// Begins a session, and returns its number and the rings.
    static func start() throws(TraceError) -> (session: UInt64, store: RingStore) {
        try control.withLock { control throws(TraceError) in
            guard !control.isRecording || control.forks != ForkCount.now else { throw .alreadyRecording }
            guard let store else { throw .noMemory }
            if !control.isOpen {
                // The closure runs on each thread that ends, after its last mark.
                guard
                    unsafe ctracing_open({ pointer in
                        unsafe pointer?.assumingMemoryBound(to: RecordRing.self).pointee.owner.leave()
                    })
                else { throw .noThreadKey }
                control.isOpen = true
            }
            store.clear()
            store.provide(ringsAtHand)
            control.session += 1
            control.isRecording = true
            control.forks = ForkCount.now
            control.publish()
            return (control.session, store)
        }
    }

    /// Ends the session: no more marks are recorded; records remain in the rings until they are drained.
    static func stop() {
        control.withLock { control in
            control.isRecording = false
            control.publish()
        }
    }

    static func setHooked(_ isHooked: Bool) {
        control.withLock { control in
            control.isHooked = isHooked
            control.publish()
        }
    }
}
