import CGStreamer
import Foundation
import GstTestSupport
import Testing

/// Tests timelines of the GStreamer Editing Services, which add, seek and remove elements while they play.
@Suite(.serialized, .enabled(if: Setup.has("gesdemux"))) struct TimelineTests {
    /// Path of a timeline with two successive clips, which both have picture and sound.
    private static func timeline() throws -> String {
        let file = Setup.newFolder().appending(path: "two.xges")
        let tracks = [(2, "audio/x-raw(ANY)"), (4, "video/x-raw(ANY)")].enumerated().map { index, track in
            "<track caps='\(track.1)' track-type='\(track.0)' track-id='\(index)' properties='properties;' metadatas='metadatas;'/>"
        }
        let clips = (0..<2).map { index in
            "<clip id='\(index)' asset-id='GESTestClip' type-name='GESTestClip' layer-priority='0' track-types='6' start='\(index * 1_000_000_000)' duration='1000000000' inpoint='0' rate='0' properties='properties, name=(string)clip\(index);' metadatas='metadatas;'></clip>"
        }
        let text = """
            <ges version='0.7'><project properties='properties;' metadatas='metadatas;'>
            <ressources><asset id='GESTestClip' extractable-type-name='GESTestClip' properties='properties;' metadatas='metadatas;'/></ressources>
            <timeline properties='properties;' metadatas='metadatas;'>
            \(tracks.joined(separator: "\n"))
            <layer priority='0' properties='properties;' metadatas='metadatas;'>
            \(clips.joined(separator: "\n"))
            </layer></timeline></project></ges>
            """
        try text.write(to: file, atomically: true, encoding: .utf8)
        return file.path
    }

    private static let line =
        "! application/xges ! gesdemux name=d d. ! queue ! fakesink name=s d. ! queue ! fakesink name=r "

    /// All messages except EOS and those of the timeline and its composition; also `no EOS` if EOS is not the last one.
    private static func faults(_ posted: [String]) -> [String] {
        let faults = posted.filter { message in
            message != "eos" && !["element: nle", "element: ges"].contains { message.lowercased().hasPrefix($0) }
        }
        return posted.last == "eos" ? faults : faults + ["no EOS"]
    }

    @Test func playsAsWithoutMonitor() throws {
        let line = "filesrc location=\(try Self.timeline()) \(Self.line)"
        func frames(_ line: String) -> [Int] {
            let pipeline = Pipeline(line)
            let (one, other) = (PadRecorder(pipeline, "s"), PadRecorder(pipeline, "r"))
            #expect(Self.faults(pipeline.play()) == [])
            pipeline.end()
            return [one.frames, other.frames].sorted()
        }
        let plain = frames(line)
        #expect(plain == frames(line + "perfmonitor report=none") && plain[0] > 40)
    }

    @Test func elementsOfEveryClipAreCounted() throws {
        let pipeline = Pipeline(
            "filesrc location=\(try Self.timeline()) \(Self.line) perfmonitor name=m report=none elements=*")
        let (one, other) = (PadRecorder(pipeline, "s"), PadRecorder(pipeline, "r"))
        #expect(Self.faults(pipeline.play()) == [])
        pipeline.end()
        #expect(pipeline.figure("pipeline", "in") == Double(one.frames + other.frames))
        // A clip lasts for a second, so it has 30 pictures and 43 buffers of 1024 samples.
        for (factory, least) in [("videotestsrc", 29.0), ("audiotestsrc", 42.0)] {
            let made = pipeline.element("m").figures(ofFactory: factory, "out")
            #expect(made.count == 2 && made.allSatisfy { $0 >= least }, "\(factory): \(made)")
        }
    }
}
