/// Memory that a process keeps after the raw frames that had piled up in a queue have left it.
///
/// A pool keeps every buffer that it has made. `adaptivepool` returns them within 13 s.
struct StallMemory: Sendable {
    /// Readings, one a second, for which the queue must be nearly empty.
    private static let calmReadings = 15
    /// Share of its largest level up to which the queue is nearly empty again.
    private static let calmShare = 0.1
    /// Less memory is not worth an element, in bytes.
    private static let noticeable = 50e6
    /// Share of the frames from which the memory is that of their buffers; the level is read once a second.
    private static let keptShare = 0.5...3

    /// Memory before the frames piled up.
    private var before: Double?
    private var most = 0.0
    private var calm = 0
    /// Memory when the queue had been nearly empty for long enough, or less since then.
    private var memory = 0.0

    /// Takes the bytes in a queue of raw frames, and the memory of the process.
    mutating func tick(level: Double, memory: Double) {
        most = max(most, level)
        if most < Self.noticeable { before = memory }
        calm = level <= Self.calmShare * most ? calm + 1 : 0
        self.memory = calm <= Self.calmReadings ? memory : min(memory, self.memory)
    }

    /// Memory that the process has kept, in bytes; nil if it has not.
    var kept: UInt64? {
        guard let before, most >= Self.noticeable, calm >= Self.calmReadings else { return nil }
        let kept = memory - before
        return Self.keptShare.contains(kept / most) && kept >= Self.noticeable ? UInt64(kept) : nil
    }
}
