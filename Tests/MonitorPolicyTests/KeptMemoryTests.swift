import Testing

@testable import MonitorPolicy

/// Tests the detection of memory that the process keeps after the frames of a stall have left their queue.
@Suite struct KeptMemoryTests {
    /// Kept memory in bytes, computed from the level of a queue and the memory of the process in MB in each second.
    private static func kept(_ seconds: [(level: Double, memory: Double)]) -> UInt64? {
        var stall = PipelineBook.StallMemory()
        for second in seconds { stall.tick(level: second.level * 1e6, memory: second.memory * 1e6) }
        return stall.kept
    }

    private static func seconds(_ count: Int, _ level: Double, _ memory: Double) -> [(level: Double, memory: Double)] {
        Array(repeating: (level, memory), count: count)
    }

    private static let stall: [(level: Double, memory: Double)] =
        seconds(5, 8, 60) + [(200, 260), (400, 450), (100, 450)]

    @Test func memoryThatStaysAfterAStallIsTold() {
        #expect(Self.kept(Self.stall + Self.seconds(20, 8, 445)) == 385_000_000)
        let sentence = Finding.keptMemory(385_000_000, queue: "q").sentence
        #expect(
            sentence == "memory kept: 385 MB more than before frames piled up in q, which is nearly empty again; "
                + "adaptivepool behind the element that makes them returns such memory")
    }

    static let silent: [(String, [(level: Double, memory: Double)])] = [
        ("memory was returned, as by adaptivepool", stall + seconds(20, 8, 74)),
        ("15 s have not passed", stall + seconds(10, 8, 445)),
        ("the queue is still full", stall + seconds(20, 300, 445)),
        ("a steady load", seconds(60, 8, 60)),
        ("a steady load of a large queue", seconds(60, 400, 480)),
        ("a short queue", seconds(5, 1, 60) + [(30, 90)] + seconds(20, 1, 90)),
        ("the process has grown for another reason", stall + seconds(20, 8, 2_000)),
        ("no reading", []),
    ]

    @Test(arguments: silent) func silentIfNothingIsKept(name: String, seconds: [(level: Double, memory: Double)]) {
        #expect(Self.kept(seconds) == nil, "\(name)")
    }
}
