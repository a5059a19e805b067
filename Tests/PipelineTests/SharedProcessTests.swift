import Foundation
import TestSupport
import Testing

extension ExampleTests {
    /// Tests processes with several plugins, each of which contains the bridge and the Swift runtime.
    @Suite struct SharedProcesses {
        /// Plays elements of the plugin and of the examples in a process that contains three Swift runtimes and a tracer.
        @Test func threePluginsPlayInOneProcess() async throws {
            _ = try await ExamplePackage.file("plugin")
            let small = "video/x-raw,format=BGRx,width=64,height=48,framerate=30/1"
            let branch =
                "videotestsrc num-buffers=500 ! \(small) ! adaptivepool ! negative ! backpressurequeue leaky=no ! "
                + "ntscfilter ! thermalcaps ! negative amount=0.5 ! fakesink"
            let line = [
                branch, branch, branch,
                "swifttonesrc num-buffers=500 ! backpressurequeue leaky=no ! swiftpeaksink sync=false",
            ].joined(separator: " ")
            let command = try await Command.run(
                named: "gst-launch-1.0", ["-m"] + line.split(separator: " ").map(String.init),
                environment: ExamplePackage.environment([
                    "GST_TRACERS": "swiftpushcount", "GST_DEBUG": "swiftpushcount:4",
                ]))
            #expect(command.succeeded, "\(command.output.suffix(2000))")
            #expect(!command.output.contains("CRITICAL"))
            // 8191 is a quarter of the maximum sample value.
            #expect(command.output.contains("swift-peak, peak=(uint)8191"))
            #expect(command.output.contains("swifttonesrc0:src: 500 buffers, 480000 bytes"))
            #expect(command.output.contains("negative0:src: 500 buffers"))
        }

        /// Loads both plugins of this package, each of which contains the bridge and the Swift runtime.
        @Test func bothPluginsLoadInOneProcess() async throws {
            let script = """
                import gi
                gi.require_version("Gst", "1.0")
                from gi.repository import Gst
                Gst.init(None)
                loaded = [Gst.Plugin.load_by_name(name) for name in ("swiftvideo", "sendspin")]
                print([plugin.is_loaded() for plugin in loaded], [plugin.get_version() for plugin in loaded])
                names = [feature.get_name() for plugin in loaded
                         for feature in Gst.Registry.get().get_feature_list_by_plugin(plugin.get_name())]
                for name in names:
                    if factory := Gst.ElementFactory.find(name):
                        print(name, factory.create(None) is not None)
                """
            let command = try await Command.run(
                URL(filePath: "/usr/bin/python3"), ["-c", script],
                environment: ExamplePackage.environment(["GST_DEBUG": "swiftbridge:2"]))
            #expect(command.succeeded, "\(command.output)")
            #expect(command.output.contains("[True, True]"), "\(command.output)")
            #expect(command.output.contains("ntscfilter True"), "\(command.output)")
            for trouble in ["CRITICAL", "WARN", "ERROR", "False"] {
                #expect(!command.output.contains(trouble), "\(command.output)")
            }
        }

        /// A program and a plugin each contain `FrameTracking` and attach tokens to the same buffers.
        ///
        /// The program and the plugin count only their own tokens.
        @Test func buffersCarryTokensOfTwoSharedObjects() async throws {
            // SwiftPM builds the program into the folder of the tests.
            let probe = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
                .appending(path: "Probe")
            let command = try await Command.run(
                probe,
                ["tracking", ExamplePackage.ours.appending(path: "libgstswiftvideo.so").path(percentEncoded: false)],
                environment: ExamplePackage.environment())
            #expect(command.succeeded, "\(command.output)")
            #expect(command.output == "between 0 0\ncopied 3 3\nreleased 0 0\n")
        }

        /// Loads a copy of the plugin, whose types have the same names.
        ///
        /// The types of the first plugin keep their names and continue to work.
        @Test func secondPluginWithSameTypeNamesIsRefused() async throws {
            let copy = Folders.fresh("copy").appending(path: "libgstswiftvideo.so")
            try FileManager.default.copyItem(at: ExamplePackage.ours.appending(path: "libgstswiftvideo.so"), to: copy)
            let script = """
                import ctypes, gi, sys
                gi.require_version("Gst", "1.0")
                from gi.repository import Gst
                Gst.init(None)
                line = "videotestsrc num-buffers=100 ! adaptivepool force=true ! ntscfilter ! backpressurequeue ! fakesink"
                first = Gst.parse_launch(line)
                ctypes.CDLL(sys.argv[1]).gst_plugin_swiftvideo_register()
                for pipeline in (first, Gst.parse_launch(line)):
                    pipeline.set_state(Gst.State.PLAYING)
                    ends = Gst.MessageType.EOS | Gst.MessageType.ERROR
                    print(pipeline.get_bus().timed_pop_filtered(30 * Gst.SECOND, ends).type.first_value_nick)
                    pipeline.set_state(Gst.State.NULL)
                """
            let command = try await Command.run(
                URL(filePath: "/usr/bin/python3"), ["-c", script, copy.path(percentEncoded: false)],
                environment: ExamplePackage.environment(["GST_DEBUG": "swiftbridge:1"]))
            #expect(command.succeeded, "\(command.output)")
            #expect(command.output.contains("the type name GstNtscFilter is taken by another plugin"))
            #expect(command.output.split(separator: "\n").count { $0 == "eos" } == 2, "\(command.output)")
        }
    }
}
