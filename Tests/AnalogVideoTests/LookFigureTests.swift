import AnalogVideoModel
import SignalSupport
import Testing

/// Tests that the presets differ from each other, and that their figures match their descriptions.
///
/// The picture is a golden input of 160x120 pixels, enlarged to 640x480, so that each pixel has sharp edges.
/// `Benchmarks/looks` prints the same figures for the clip.
struct LookFigureTests {
    private static let figures: [LookFigures] = {
        guard let bytes = try? GoldenFiles.bytes("inputs/photo-160x120-rgbx.raw") else { return [] }
        var large: [UInt8] = []
        for y in 0..<480 {
            for x in 0..<640 {
                let pixel = (y / 4) * 160 + x / 4
                large += bytes[(pixel * 4)..<(pixel * 4 + 4)]
            }
        }
        guard let picture = LookPicture(width: 640, height: 480, bytes: large) else { return [] }
        return LookFigures.all(Look.all, of: [(frame: 9, picture)]) ?? []
    }()

    private func figures(_ name: String) throws -> LookFigures {
        try #require(Self.figures.first { $0.name == name })
    }

    @Test func allPresetsAreMeasured() { #expect(Self.figures.map(\.name) == Look.all.map(\.name)) }

    /// Earlier versions of LP and EP looked nearly equal on the clip, and the PSNR between them was 27.7 dB.
    @Test func noTwoPresetsAreAlike() throws {
        for look in Self.figures {
            let nearest = try #require(look.nearest)
            #expect(nearest.decibels < 27.5, "\(look.name) and \(nearest.name)")
        }
    }

    /// The three presets of LP tapes have the same filters; all other presets differ even without their noise.
    @Test func presetsDifferInTheirFilters() throws {
        for look in Self.figures where !["vhs-lp", "worn-tape", "bad-tracking"].contains(look.name) {
            let nearest = try #require(look.nearestFilters)
            #expect(nearest.decibels < 33, "\(look.name) and \(nearest.name)")
        }
    }

    /// Tests that the three tape speeds differ even without noise, edge wave and tracking noise.
    @Test(arguments: [("vhs-sp", "vhs-lp", 26.0), ("vhs-lp", "vhs-ep", 25), ("vhs-sp", "vhs-ep", 21)])
    func tapeSpeedsDifferInTheirFilters(one: String, other: String, limit: Double) throws {
        let decibels = try #require(try figures(one).filterDecibels[other])
        #expect(decibels < limit, "\(decibels)")
    }

    /// Tests that the edges of a slower tape are clearly weaker.
    @Test func slowerTapesAreBlurred() throws {
        let (sp, lp, ep) = (try figures("vhs-sp"), try figures("vhs-lp"), try figures("vhs-ep"))
        #expect(lp.edges < sp.edges * 0.75)
        #expect(ep.edges < lp.edges * 0.65)
    }

    @Test func harshPresetsHaveStrongerEdgesThanTapes() throws {
        let sp = try figures("vhs-sp").edges
        for name in ["composite-camcorder", "third-copy"] { #expect(try figures(name).edges > sp * 1.2, "\(name)") }
    }

    /// Of these presets, only `vhs-lp` sharpens luma, which raises its figure although it restores no detail.
    @Test func aStrongStationIsSharperThanASoftTape() throws {
        let broadcast = try figures("broadcast").edges
        #expect(try figures("sharp-monitor").edges > broadcast * 1.05)
        for name in ["vhs-lp", "hue-off", "black-and-white-set", "snowy-antenna"] {
            #expect(try broadcast > figures(name).edges * 1.3, "\(name)")
        }
    }

    /// The noise band of `bad-tracking` has nearly no colour, `black-and-white-set` removes all colour, and the picture of
    /// `weak-aerial` fades.
    @Test func colourIsNeitherGainedNorLost() throws {
        for look in Self.figures where !["bad-tracking", "black-and-white-set", "weak-aerial"].contains(look.name) {
            #expect((0.8...1.2).contains(look.saturation), "\(look.name): \(look.saturation)")
        }
        #expect(try (0.5...0.9).contains(figures("bad-tracking").saturation))
        #expect(try (0.5...0.9).contains(figures("weak-aerial").saturation))
        #expect(try figures("black-and-white-set").saturation < 0.01)
    }
}
