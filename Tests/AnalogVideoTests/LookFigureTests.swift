import AnalogVideoModel
import GoldenSupport
import LookFigures
import Testing

/// The presets differ from each other, and are what their descriptions say.
///
/// The picture is a golden one of 160x120 pixels, four times as large, so that each pixel has sharp edges.
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

    /// With 32 dB, as SP and LP once had, two pictures look the same.
    @Test func noTwoPresetsAreAlike() {
        for look in Self.figures {
            #expect(look.nearestDecibels < 27.5, "\(look.name) and \(look.nearest)")
        }
    }

    /// A tape speed that is slower keeps clearly less detail.
    @Test func slowerTapesAreBlurred() throws {
        let (sp, lp, ep) = (try figures("vhs-sp"), try figures("vhs-lp"), try figures("vhs-ep"))
        #expect(lp.detail < sp.detail * 0.75)
        #expect(ep.detail < lp.detail * 0.6)
    }

    @Test func harshPresetsAreSharperThanTapes() throws {
        let sp = try figures("vhs-sp").detail
        for name in ["composite-camcorder", "third-copy"] { #expect(try figures(name).detail > sp) }
        for name in ["broadcast", "hue-off", "black-and-white-set"] { #expect(try figures(name).detail < sp) }
    }

    /// The band of `bad-tracking` has hardly any colour; that of `black-and-white-set` is removed.
    @Test func colourIsNeitherGainedNorLost() throws {
        for look in Self.figures where !["bad-tracking", "black-and-white-set"].contains(look.name) {
            #expect((0.8...1.2).contains(look.saturation), "\(look.name): \(look.saturation)")
        }
        #expect(try (0.5...0.9).contains(figures("bad-tracking").saturation))
        #expect(try figures("black-and-white-set").saturation < 0.01)
    }
}
