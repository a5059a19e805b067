import Foundation
import Testing

extension EndToEndTests {
    @Suite struct PipelineTests {
        @Test(arguments: Recordings.names)
        func everyPipelinePlaysToEOS(name: String) async throws {
            let recording = try await Recordings.shared.play(name)
            #expect(recording.command.succeeded, "\(recording.command.output)")
            #expect(recording.command.output.contains(/WARNING|CRITICAL|ERROR/) == false, "\(recording.command.output)")
        }

        @Test(arguments: ["vhs-file", "vhs-file-silent", "animated"])
        func recordingContainsTheFilteredClip(name: String) async throws {
            let clip = try await Recordings.clip()
            let film = try await Recordings.shared.film(name)
            #expect(film.width == 1280 && film.height == 720)
            #expect(film.frames.count == 132)
            for frame in film.frames.indices {
                let difference = film.difference(frame: frame, from: clip, frame: frame)
                #expect((8...40).contains(difference), "frame \(frame)")
            }
        }

        @Test func recordingContainsTheAudio() async throws {
            let file = try #require(try await Recordings.shared.play("vhs-file").file)
            let fiveSeconds = 5 * 48_000
            #expect(try await Film.soundSampleCount(of: file) > fiveSeconds * 9 / 10)
        }

        @Test(arguments: [("before-after", 132), ("snapshot", 1)])
        func halvesContainTheSameSceneWithAndWithoutFilter(name: String, frameCount: Int) async throws {
            let film = try await Recordings.shared.film(name)
            #expect(film.width == 1280 && film.height == 720)
            #expect(film.frames.count == frameCount)
            for frame in film.frames.indices {
                #expect((8...40).contains(film.differenceOfHalves(frame: frame)), "frame \(frame)")
            }
        }

        @Test func animatedTapeDegradesAndRecovers() async throws {
            let animated = try await Recordings.shared.film("animated")
            let steady = try await Recordings.shared.film("vhs-file-silent")
            let wear = [0, 62, 125].map { animated.difference(frame: $0, from: steady, frame: $0) }
            #expect(wear[0] < 3)
            #expect(wear[1] > 8)
            #expect(wear[2] < wear[1] / 2)
        }

        @Test func everyPresetGivesADifferentPicture() async throws {
            let film = try await Recordings.shared.film("looks")
            #expect(film.frames.count == 132)
            let (columns, rows) = (Film.columns, Film.rows)
            let left = 0..<(columns / 2), right = (columns / 2)..<columns
            let top = 0..<(rows / 2), bottom = (rows / 2)..<rows
            let colour: (Int, Int, Int) -> Int = { max($0, $1, $2) - min($0, $1, $2) }
            #expect(film.mean(frame: 60, columns: right, rows: bottom, of: colour) < 8)
            for (columns, rows) in [(left, top), (right, top), (left, bottom)] {
                #expect(film.mean(frame: 60, columns: columns, rows: rows, of: colour) > 24)
            }
        }
    }
}
