import Foundation
import Testing

@Suite(.serialized) struct PipelineTests {
    @Test(arguments: Recordings.names)
    func everyPipelinePlaysToEOS(name: String) async throws {
        let recording = try await Recordings.shared.play(name)
        #expect(recording.command.succeeded, "\(recording.command.output)")
        #expect(recording.command.output.contains(/WARNING|CRITICAL|ERROR/) == false, "\(recording.command.output)")
    }

    @Test(arguments: [("vhs-file", 720), ("vhs-file-silent", 180), ("animated", 180)])
    func recordingContainsTheFilteredClip(name: String, height: Int) async throws {
        let clip = try await Recordings.shared.clip()
        let film = try await Recordings.shared.film(name)
        #expect(film.width == height * 16 / 9 && film.height == height)
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

    @Test(arguments: [("before-after", 66), ("snapshot", 1)])
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

    /// In the regions of PLAY, SP, date and counter, pixels are brighter than those of the clip; between them they are not.
    @Test func camcorderHasTextInItsCorners() async throws {
        let clip = try await Recordings.shared.clip()
        let film = try await Recordings.shared.film("camcorder")
        #expect(film.width == 640 && film.height == 480)
        #expect(film.frames.count == 132)
        // Without the text, a region has at most 4 such pixels.
        let texts = [(12..<46, 7..<16, 20), (136..<150, 7..<16, 6), (12..<78, 68..<83, 80), (105..<150, 74..<83, 40)]
        for frame in [0, 60, 120] {
            for (columns, rows, least) in texts {
                #expect(brighter(film, clip, frame, columns, rows) >= least, "frame \(frame), columns \(columns)")
            }
            #expect(brighter(film, clip, frame, 60..<130, 7..<16) < 6, "frame \(frame)")
        }
    }

    /// Number of pixels that are much brighter than in the clip, of which the film has the middle.
    private func brighter(_ film: Film, _ clip: Film, _ frame: Int, _ columns: Range<Int>, _ rows: Range<Int>) -> Int {
        rows.flatMap { row in columns.map { (row, $0) } }.count { row, column in
            let shown = film.samples(frame: frame, columns: column..<(column + 1), rows: row..<(row + 1))
            let place = 20 + column * 3 / 4
            let own = clip.samples(frame: frame, columns: place..<(place + 1), rows: row..<(row + 1))
            return Int(shown.min()!) > Int(own.min()!) + 60
        }
    }

    @Test func everyPresetGivesADifferentPicture() async throws {
        let film = try await Recordings.shared.film("looks")
        #expect(film.frames.count == 66)
        let presets = try text("presets/GstNtscFilter.prs").matches(of: /(?m)^\[([a-z-]+)\]$/).map { String($0.1) }
        let line = try await Command.run(Folders.pipelines.appending(path: "play"), ["--print", "looks"]).output
        let shown = line.matches(of: #/@preset=([a-z-]+) .*?text=([a-z-]+) /#)
        #expect(shown.map { String($0.1) } == presets && shown.map { String($0.2) } == presets)
        // The tiles are in five columns and five rows, and the upper third of a tile may contain its name.
        let (width, height) = (Film.columns / 5, Film.rows / 5)
        let tiles = (0...presets.count).map { tile in
            let (left, top) = (tile % 5 * width, tile / 5 * height)
            return film.samples(
                frame: 60, columns: left..<(left + width), rows: (top + height / 3)..<(top + height))
        }
        let colours = tiles.map(Film.colour)
        for (name, colour) in zip(presets, colours.dropFirst()) {
            #expect(name == "black-and-white-set" ? colour < 8 : colour > colours[0] / 3, "\(name): \(colour)")
        }
        // After VP8, the difference is 4.1 for tiles with the same preset, and at least 6.4 for different presets.
        for (tile, picture) in tiles.enumerated() {
            for earlier in 0..<tile {
                let difference = Film.difference(picture, tiles[earlier])
                #expect(difference > 5.2, "tiles \(earlier) and \(tile): \(difference)")
            }
        }
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOf: Folders.package.appending(path: name), encoding: .utf8)
    }
}
