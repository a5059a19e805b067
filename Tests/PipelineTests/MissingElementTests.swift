import Foundation
import Testing

/// Tests an installation of GStreamer that has no scaler.
@Suite(.serialized) struct MissingElementTests {
    @Test func missingScalerPostsOneError() async throws {
        let folder = Folders.fresh("plugins")
        let system = try await Command.run(named: "pkg-config", ["--variable=pluginsdir", "gstreamer-1.0"])
        let installed = URL(filePath: system.output.trimmingCharacters(in: .whitespacesAndNewlines))
        for name in ["libgstcoreelements.so", "libgstvideotestsrc.so"] {
            try FileManager.default.createSymbolicLink(
                at: folder.appending(path: name), withDestinationURL: installed.appending(path: name))
        }
        let command = try await Command.run(
            named: "gst-launch-1.0", ["-m", "videotestsrc", "!", "thermalcaps", "!", "fakesink"],
            environment: [
                "GST_PLUGIN_SYSTEM_PATH": folder.path(percentEncoded: false),
                "GST_PLUGIN_PATH": Folders.package.appending(path: "out/plugin").path(percentEncoded: false),
                "GST_REGISTRY": folder.appending(path: "registry").path(percentEncoded: false),
            ])
        #expect(!command.succeeded)
        #expect(command.output.contains("The element \"videoscale\" is missing"), "\(command.output)")
        #expect(command.output.contains("gstreamer1.0-plugins-base"))
        #expect(!command.output.contains("CRITICAL"))
    }
}
