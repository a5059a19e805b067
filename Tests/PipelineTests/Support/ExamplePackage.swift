import Foundation
import TestSupport
import Testing

/// Tests the package `Examples`, in one process, which builds it once.
@Suite(.serialized) enum ExampleTests {}

/// The package `Examples`, which depends on this one as packages of others do.
///
/// Each of its plugins contains its own copy of the bridge and of the Swift runtime.
enum ExamplePackage {
    /// The plugins of this package.
    static let ours = Folders.package.appending(path: "out/plugin")

    /// The folder of the package, and of what its build writes.
    private static let work = Folders.fresh("examples")

    /// Builds the package once for all tests of the process.
    ///
    /// It depends on the committed state of this package by URL and version, as packages of others do.
    private static let built = Task {
        try await Command.run(
            URL(filePath: "/bin/sh"),
            [
                "-c",
                #"""
                set -e
                # SwiftPM does not decode the space in the name of this folder.
                folder=$(mktemp -d) name=gst-plugins-swift
                trap 'rm -rf "$folder"' EXIT
                git clone --quiet "$0" "$folder/$name"
                git -C "$folder/$name" tag --force 0.0.1
                cp -r "$0/Examples" .
                sed -i "s|path: \"..\"|from: \"0.0.1\"|; s|name: \"$name\", from|url: \"file://$folder/$name\", from|" \
                    Examples/Package.swift
                grep -q 'from: "0.0.1"' Examples/Package.swift
                nice swift build -c release -Xswiftc -static-stdlib --package-path Examples \
                    --scratch-path scratch --cache-path cache --security-path security
                mkdir plugin
                cp scratch/release/libgst*.so plugin
                """#,
                Folders.package.path(percentEncoded: false),
            ], in: work, limit: patience * 4)
    }

    /// The file `name` of the build.
    static func file(_ name: String) async throws -> URL {
        let built = try await built.value
        try #require(built.succeeded, "\(built.output.suffix(2000))")
        return work.appending(path: name)
    }

    /// The environment of a process with the plugins of both packages.
    static func environment(_ more: [String: String] = [:]) -> [String: String] {
        let folders = [work.appending(path: "plugin"), ours].map { $0.path(percentEncoded: false) }
        return [
            "GST_PLUGIN_PATH": folders.joined(separator: ":"),
            "GST_REGISTRY": Folders.fresh("registry").appending(path: "registry").path(percentEncoded: false),
        ].merging(more) { $1 }
    }

    /// Runs a Python script, which has the function `play(pipeline)`, and returns its output.
    static func python(_ script: String, _ more: [String: String] = [:]) async throws -> String {
        let start = """
            import gi
            gi.require_version("Gst", "1.0")
            gi.require_version("GstApp", "1.0")
            from gi.repository import Gst, GstApp
            Gst.init(None)

            def play(pipeline):
                pipeline.set_state(Gst.State.PLAYING)
                ends = Gst.MessageType.EOS | Gst.MessageType.ERROR
                end = pipeline.get_bus().timed_pop_filtered(60 * Gst.SECOND, ends)
                assert end.type == Gst.MessageType.EOS, end.get_structure().to_string()
                pipeline.set_state(Gst.State.READY)


            """
        _ = try await file("plugin")
        let command = try await Command.run(
            URL(filePath: "/usr/bin/python3"), ["-c", start + script],
            environment: environment(["G_DEBUG": "fatal-criticals"].merging(more) { $1 }))
        try #require(command.succeeded, "\(command.output)")
        return command.output
    }

    /// Runs a program of the examples.
    static func run(_ name: String, _ arguments: [String], in folder: URL? = nil) async throws -> Command {
        try await Command.run(
            file("scratch/release/\(name)"), arguments, in: folder,
            // dfbvideosink crashes if there is no frame buffer.
            environment: environment(["GST_PLUGIN_FEATURE_RANK": "dfbvideosink:NONE"]))
    }

    /// Makes a film of 3 s with a title.
    static func film(in folder: URL) async throws -> String {
        let film = folder.appending(path: "a film ü.mkv").path(percentEncoded: false)
        let line =
            "videotestsrc num-buffers=30 ! video/x-raw,width=64,height=48,framerate=10/1 ! vp8enc ! "
            + "taginject tags=title=Tape ! matroskamux ! filesink"
        let made = try await Command.run(
            named: "gst-launch-1.0", ["-q"] + line.split(separator: " ").map(String.init) + ["location=\(film)"])
        try #require(made.succeeded, "\(made.output)")
        return film
    }
}
