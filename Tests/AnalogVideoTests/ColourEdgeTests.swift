import AnalogVideoModel
import SignalSupport
import Testing

/// Tests how far the presets move colour at different sizes; `Benchmarks/looks` prints the same figures.
struct ColourEdgeTests {
    private func displacement(_ settings: NTSCSettings, width: Int, height: Int) throws -> Double {
        let edge = try #require(ColourEdge(width: width, height: height))
        return try #require(edge.displacement(by: settings), "no colour")
    }

    /// The delays of the chroma low-passes are not scaled, so the displacement changes by up to 0.36 % of the width.
    ///
    /// A chroma delay of 3 pixels raised the displacement of `vhs-lp` by 0.6 % at 1080 rows, and by 1.4 % at 2160 rows.
    @Test(arguments: Look.all.filter { $0.name != "black-and-white-set" })
    func colourStaysNearItsEdgeInLargePictures(look: Look) throws {
        var settings = look.settings
        // A ghost has edges of its own.
        settings.ghostLevel = 0
        let small = try displacement(settings, width: 854, height: 480)
        for (width, height) in [(1920, 1080), (3840, 2160)] {
            let large = try displacement(settings, width: width, height: height)
            #expect(abs(large - small) < 0.004, "\(look.name) at \(height) rows: \(small) and \(large)")
        }
    }

    /// For comparison, a VHS tape at SP moves colour by 1.1 % of the width.
    @Test(arguments: [(854, 480), (1920, 1080)])
    func colourOfBroadcastIsSlightlyToTheRight(width: Int, height: Int) throws {
        let look = try #require(Look.all.first { $0.name == "broadcast" })
        #expect(try (0.002...0.01).contains(displacement(look.settings, width: width, height: height)))
    }

    @Test(arguments: [(Float(1), 5.0), (1.5, 11.25), (2, 20)])
    func chromaDelayIsMultipliedByTheSquareOfTheScale(scale: Float, pixels: Double) throws {
        var settings = NTSCSettings()
        settings.vhsSettings = false
        settings.bandwidthScale = scale
        let without = try displacement(settings, width: 640, height: 480)
        settings.chromaDelayHorizontal = 5
        let difference = try displacement(settings, width: 640, height: 480) - without
        #expect(abs(difference * 640 - pixels) < 0.5, "\(difference * 640) pixels")
    }

    @Test func aPictureWithoutColourHasNoDisplacement() throws {
        let look = try #require(Look.all.first { $0.name == "black-and-white-set" })
        let edge = try #require(ColourEdge(width: 640, height: 480))
        #expect(edge.displacement(by: look.settings) == nil)
        #expect(ColourEdge(width: 64, height: 480) == nil)
    }
}
