import Foundation
import GstTestSupport
import Testing

/// Tests allocations and discovery, each in a separate process.
///
/// The tests are disabled with a sanitizer, which replaces malloc.
@Suite(.disabled(if: dlsym(nil, "__sanitizer_set_report_path") != nil)) struct ProbeTests {
    private func counts(_ scenario: String) throws -> [Int] {
        let run = try SendspinProbe(scenario, Setup.newFolder().path).run()
        try #require(run.status == 0, "\(run.output)")
        let line = try #require(run.output.split(separator: "\n").first { $0.hasPrefix("allocations:") })
        return line.split(separator: " ").compactMap { Int($0) }
    }

    /// Whether the code is optimized; Swift allocates more memory without optimization.
    private static let isOptimized = !_isDebugAssertConfiguration()

    /// `sendspinsync` allocates a new buffer only if it inserts or drops a frame, and passes all other buffers on.
    @Test(.enabled(if: isOptimized)) func ordinaryBuffersThroughTheSynchronisationCauseNoAllocation() throws {
        let counts = try counts("sync-allocations")
        #expect(counts.count == 80)
        #expect(counts.count { $0 == 0 } > 60, "\(counts)")
    }

    @Test(.enabled(if: isOptimized)) func streamingThreadOfTheSourceDoesNotAllocate() throws {
        let counts = try counts("source-allocations")
        #expect(counts.count == 80)
        #expect(counts.count { $0 == 0 } > 60, "\(counts)")
    }

    /// The network thread of the source allocates for each chunk; the streaming thread copies into a fixed memory.
    @Test(.enabled(if: isOptimized)) func streamingThreadOfTheSinkDoesNotAllocate() throws {
        let counts = try counts("sink-allocations")
        #expect(counts.count == 80)
        #expect(counts.allSatisfy { $0 == 0 }, "\(counts)")
    }

    /// The test runs avahi-daemon on a private bus, in a namespace that a container may forbid.
    @Test func playerAndServerFindEachOther() throws {
        let run = try SendspinProbe("discovery", Setup.newFolder().path).run()
        #expect(run.status == 0, "\(run.output)")
        guard !run.output.contains("not possible") else { return }
        let lines = [
            "found a server", "skipped a dead server", "listed a server", "found a player", "found no other player",
            "refused a stranger",
        ]
        for line in lines { #expect(run.output.contains(line), "\(line)") }
    }
}
