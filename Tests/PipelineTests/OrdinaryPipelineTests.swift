import Foundation
import Testing

/// Tests `Benchmarks/ordinary`, which compares the defaults of `backpressurequeue` with `queue` in common pipelines.
@Suite(.serialized) struct OrdinaryPipelineTests {
    private let benchmark = Folders.package.appending(path: "Benchmarks/ordinary")

    @Test func elementIsNoWorseThanTheBetterStockQueue() async throws {
        let command = try await Command.run(benchmark, ["--short"])
        // A row that cannot be played must fail the test.
        #expect(command.output.contains("14 rows played, ") && command.output.contains(", 0 skipped"))
        var (lost, output) = (lostRows(command), command.output)
        // Other programs may have slowed one of the three queues. A queue that is really worse loses in each run.
        for _ in 0..<4 where !lost.isEmpty {
            let again = try await Command.run(benchmark, ["--short", "--rows", lost.joined(separator: ",")])
            (lost, output) = (lostRows(again), again.output)
        }
        #expect(lost.isEmpty && output.contains(" rows played, 0 lost, 0 skipped"), "\(output)")
    }

    private func lostRows(_ command: Command) -> [String] {
        command.output.matches(of: /(?m)^FAILED ([^:]+):/).map { String($0.1) }
    }

    /// Tests that the benchmark detects a queue of one frame in front of a sink that waits for the clock, and the
    /// latency that `queue` adds in front of a slow consumer.
    @Test(arguments: [
        ("sync-latency-200", "queue leaky=downstream max-size-buffers=1"), ("slow-60-queue", "queue"),
    ])
    func worseQueueLosesEachTime(row: String, element: String) async throws {
        for _ in 0..<2 {
            let command = try await Command.run(benchmark, ["--short", "--rows", row, "--element", element])
            #expect(!command.succeeded && command.output.contains("FAILED \(row)"), "\(command.output)")
        }
    }

    @Test(arguments: [
        (["--element", "no-such-queue"], "There is no element no-such-queue."),
        (["--element", "queue no-such-property=1"], "is not an element with its properties"),
        (["--rows", "no-such-row"], "No row has such a name"),
    ])
    func mistakesAreNamed(arguments: [String], answer: String) async throws {
        let command = try await Command.run(benchmark, ["--short"] + arguments)
        #expect(!command.succeeded)
        #expect(command.output.contains(answer), "\(command.output)")
    }

    @Test func buildWithoutTheElementIsRefused() async throws {
        let folder = Folders.fresh("no plugin").path(percentEncoded: false)
        let command = try await Command.run(
            benchmark, ["--short", "--plugin-dir", folder],
            environment: ["GST_PLUGIN_PATH": "", "GST_PLUGIN_SYSTEM_PATH": ""])
        #expect(!command.succeeded)
        #expect(command.output.contains("There is no element backpressurequeue."), "\(command.output)")
    }
}
