import Foundation
import Testing

extension EndToEndTests {
    /// The queue without any property in pipelines that people write, beside the `queue` of GStreamer.
    @Suite struct OrdinaryPipelineTests {
        private let benchmark = Folders.package.appending(path: "Benchmarks/ordinary")

        @Test func queueIsNoWorseThanTheBetterOfTwoStockQueues() async throws {
            let command = try await Command.run(benchmark, ["--short"], limit: .seconds(400))
            for line in command.output.split(separator: "\n") where line.hasPrefix("FAILED") {
                Issue.record("\(line)")
            }
            // A row that cannot be played here would otherwise pass unseen.
            #expect(command.output.contains("14 rows played, 0 lost, 0 skipped"), "\(command.output)")
            #expect(command.succeeded)
        }

        /// A queue of one frame in front of a sink that waits is what the benchmark is there to find.
        @Test func leakyQueueLosesToAPlainOneBeforeASinkThatWaits() async throws {
            let command = try await Command.run(
                benchmark,
                ["--short", "--rows", "sync-latency-200", "--element", "queue leaky=downstream max-size-buffers=1"])
            #expect(!command.succeeded)
            #expect(command.output.contains("FAILED sync-latency-200"), "\(command.output)")
        }

        /// A plain queue in front of a slow consumer holds every frame, and its latency grows.
        @Test func plainQueueLosesBeforeASlowConsumer() async throws {
            let command = try await Command.run(
                benchmark, ["--short", "--rows", "slow-60-queue", "--element", "queue"])
            #expect(!command.succeeded)
            #expect(command.output.contains("FAILED slow-60-queue"), "\(command.output)")
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
}
