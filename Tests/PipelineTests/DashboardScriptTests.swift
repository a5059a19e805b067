import Foundation
import Testing

/// Tests the script that plays a pipeline with the dashboard of `perfmonitor`.
@Suite(.serialized) struct DashboardScriptTests {
    let script = Folders.pipelines.appending(path: "dashboard")
    let folder = Folders.fresh("dashboard")

    @Test func servesPageAtPrintedAddress() async throws {
        // The pipeline reads its own dashboard, and fails if no server answers at the address.
        let command = try await Command.run(
            script,
            ["--port=9297"]
                + "videotestsrc is-live=true num-buffers=45 ! fakesink souphttpsrc location=http://127.0.0.1:9297/"
                .words + "blocksize=1000000 ! filesink location=page.html".words, in: folder)
        #expect(command.succeeded && command.output.hasPrefix("http://127.0.0.1:9297/\n"), "\(command.output)")
        let page = try String(contentsOf: folder.appending(path: "page.html"), encoding: .utf8)
        #expect(page.contains("<h1>Performance monitor"))
        #expect(command.output.contains(#/videotestsrc0 +– +45 /#), "\(command.output)")
    }

    @Test func passesTargetsAndFindsFreePort() async throws {
        let command = try await Command.run(
            script, ["--targets=encoder: p95=soon"] + "videotestsrc num-buffers=5 ! fakesink".words, in: folder)
        #expect(command.output.contains(/http:\/\/127\.0\.0\.1:91\d\d\/\n/), "\(command.output)")
        #expect(!command.succeeded && command.output.contains("p95 is \"soon\""), "\(command.output)")
    }

    @Test func playsPipelineOfTheFolder() async throws {
        let command = try await Command.run(script, ["backpressure-slow-consumer"], in: folder)
        #expect(command.succeeded && command.output.contains(#/backpressurequeue0 +90 /#), "\(command.output)")
    }

    @Test(arguments: [
        (["--prot=9200", "fakesrc"], "There is no option --prot=9200"),
        (["--port=70000", "fakesrc"], "--port=70000 is not a port"),
    ])
    func mistakesAreNamed(arguments: [String], answer: String) async throws {
        let command = try await Command.run(script, arguments, in: folder)
        #expect(!command.succeeded && command.output.contains(answer), "\(command.output)")
    }

    @Test(arguments: [["--help"], []])
    func helpIsPrinted(arguments: [String]) async throws {
        let command = try await Command.run(script, arguments)
        #expect(command.succeeded && command.output.contains("  pipelines/dashboard vhs-file"), "\(command.output)")
    }
}
