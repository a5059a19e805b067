import Durations
import SendspinProtocol

/// A chunk buffer that executes a list of words.
///
/// Times are in milliseconds. `+T` inserts a chunk of 20 ms and 100 bytes at T, `+T/D` a chunk of D ms, and `+T/?` a
/// chunk of unknown duration. `fX` sets a format, `@T` sets the time, `.` calls `next`, `C` clears, `B` sets the clock
/// back, and `R` resets. The log has one word for each call of `next`, and one for each refused chunk.
struct DrawnBuffer {
    var buffer: ChunkBuffer<String, String>
    private var now = Duration.zero
    private var log: [String] = []

    /// Executes `drawing` with a buffer of 1000 bytes that returns chunks 50 ms before their time.
    static func play(_ drawing: String) -> String {
        var drawn = Self(buffer: ChunkBuffer(capacity: 1000, lead: .milliseconds(50), chunkCost: 0, memoryLimit: 1000))
        for word in drawing.split(separator: " ") { drawn.handle(String(word)) }
        return drawn.log.joined(separator: " ")
    }

    private mutating func handle(_ word: String) {
        let rest = String(word.dropFirst())
        switch word.first {
        case "+": insert(rest)
        case "f": buffer.setFormat(word)
        case "@": now = .milliseconds(Int(rest) ?? 0)
        case "C": buffer.clear()
        case "B": buffer.clockSetBack()
        case "R": buffer.reset()
        default: next()
        }
    }

    private mutating func insert(_ word: String) {
        let parts = word.split(separator: "/").map(String.init)
        let duration: Duration? =
            parts.count < 2 ? .milliseconds(20) : Int(parts[1]).map { .milliseconds($0) }
        let admission = buffer.insert(
            parts[0], timestamp: .milliseconds(Int(parts[0]) ?? 0), duration: duration, bytes: 100, now: now)
        if admission != .accepted { log.append("\(admission)") }
    }

    private mutating func next() {
        switch buffer.next(at: now) {
        case .chunk(let chunk): log.append(chunk.payload)
        case .format(let format): log.append(format)
        case .wait(let time): log.append(time.map { "wait:\(Self.milliseconds($0))" } ?? "wait")
        case .gap(let start, let end): log.append("gap:\(Self.milliseconds(start))-\(Self.milliseconds(end))")
        }
    }

    private static func milliseconds(_ time: Duration) -> Int { Int((time.inSeconds * 1000).rounded()) }
}
