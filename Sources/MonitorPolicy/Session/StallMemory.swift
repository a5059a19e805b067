extension PipelineBook {
    /// Memory that a process keeps after raw frames have left a queue in which they piled up.
    ///
    /// A pool keeps every buffer that it has allocated. `adaptivepool` returns unused buffers within 13 s.
    struct StallMemory: Sendable {
        /// Number of readings, one per second, for which the queue must be nearly empty.
        private static let calmReadings = 15
        /// The queue is nearly empty again if its level is at most this share of its largest level.
        private static let calmShare = 0.1
        /// Smallest memory that is reported, in bytes.
        private static let noticeable = 50e6
        /// Plausible ratios of kept memory to queued bytes; the range is wide because the level is read once a second.
        private static let keptShare = 0.5...3

        /// Memory of the process before the frames piled up.
        private var before: Double?
        private var most = 0.0
        private var calm = 0
        /// Memory of the process at the last reading, or the minimum since the queue was nearly empty for long enough.
        private var memory = 0.0

        /// Takes the bytes in a queue of raw frames, and the memory of the process.
        mutating func tick(level: Double, memory: Double) {
            most = max(most, level)
            if most < Self.noticeable { before = memory }
            calm = level <= Self.calmShare * most ? calm + 1 : 0
            self.memory = calm <= Self.calmReadings ? memory : min(memory, self.memory)
        }

        /// Memory that the process has kept, in bytes; nil if none.
        var kept: UInt64? {
            guard let before, most >= Self.noticeable, calm >= Self.calmReadings else { return nil }
            let kept = memory - before
            return Self.keptShare.contains(kept / most) && kept >= Self.noticeable ? UInt64(kept) : nil
        }
    }
}
