import Foundation
import GstTestSupport
import Testing

/// Allocations and discovery, each in a process in which nothing else runs.
///
/// The tests are disabled with a sanitizer, which replaces malloc.
@Suite(.disabled(if: dlsym(nil, "__sanitizer_set_report_path") != nil)) struct ProbeTests {
    private func counts(_ scenario: String) throws -> [Int] {
        let run = try SendspinProbe(scenario, Setup.newFolder().path).run()
        try #require(run.status == 0, "\(run.output)")
        let line = try #require(run.output.split(separator: "\n").first { $0.hasPrefix("allocations:") })
        return line.split(separator: " ").compactMap { Int($0) }
    }

    /// Without optimization, Swift allocates more.
    private static let isOptimized = !_isDebugAssertConfiguration()

    /// A buffer with an inserted or dropped frame is a new one; the others are passed on.
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

    /// Runs avahi-daemon on a private bus; a container may forbid the namespace that it needs.
    @Test func playerAndServerFindEachOther() throws {
        let run = try SendspinProbe("discovery", Setup.newFolder().path).run()
        #expect(run.status == 0, "\(run.output)")
        guard !run.output.contains("not possible") else { return }
        let lines = [
            "found a server", "skipped a dead server", "listed a server", "found a player", "found no other player",
        ]
        for line in lines { #expect(run.output.contains(line), "\(line)") }
    }
}
