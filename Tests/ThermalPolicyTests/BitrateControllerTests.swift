import Testing

@testable import ThermalPolicy

/// Tests a controller with a simulated encoder.
@Suite struct BitrateControllerTests {
    /// An encoder whose properties depend on the written values.
    private struct Encoder {
        var reading = EncoderReading()
        var writes: [EncoderWrite] = []
        /// Returns the value that is in effect after a write.
        var accept: (EncoderWrite, EncoderReading) -> Double = { write, _ in write.value }
        /// Bitrate that the encoder selects for one bit per pixel; nil if it does not select its bitrate.
        var bitratePerBits: Double?

        mutating func follow(_ order: BitrateOrder, _ controller: inout BitrateController) {
            var pending = controller.begin(order, reading)
            reading.setByUser = []
            while !pending.isEmpty {
                for write in pending { perform(write) }
                pending = controller.proceed(reading)
            }
        }

        private mutating func perform(_ write: EncoderWrite) {
            writes.append(write)
            let value = accept(write, reading)
            switch write.property {
            case .bitrate: (reading.bitrate, reading.actualBitrate) = (value, value)
            case .bitsPerPixel:
                reading.bitsPerPixel = value
                if let bitratePerBits {
                    reading.bitrate = (value * bitratePerBits / 1000).rounded() * 1000
                    reading.actualBitrate = reading.bitrate
                }
            case .companion(let index): reading.companions[index] = value
            }
        }
    }

    private func encoder(_ bitrate: Double, companions: [Double?] = []) -> Encoder {
        var encoder = Encoder()
        (encoder.reading.bitrate, encoder.reading.actualBitrate) = (bitrate, bitrate)
        encoder.reading.companions = companions
        encoder.reading.framesIn = 1
        return encoder
    }

    private func order(_ share: Double) -> BitrateOrder { BitrateOrder(share: share, pixelsPerSecond: 1_000_000) }

    @Test func lowersTheBitrateBeforeItsLimitAndRestoresThemInReverse() throws {
        let profile = try #require(EncoderProfile.of(factory: "openh264enc"))
        var encoder = encoder(1_000_000, companions: [2_000_000])
        var controller = BitrateController(profile, encoder.reading)
        encoder.follow(order(0.5), &controller)
        #expect(encoder.writes.map(\.property) == [.bitrate, .companion(0)])
        #expect(encoder.reading.bitrate == 500_000 && encoder.reading.companions == [1_000_000])
        #expect(controller.share(encoder.reading) == 0.5)
        encoder.writes = []
        encoder.follow(order(1), &controller)
        #expect(encoder.writes.map(\.property) == [.companion(0), .bitrate])
        #expect(encoder.reading.bitrate == 1_000_000 && encoder.reading.companions == [2_000_000])
    }

    @Test func writesNothingWhileTheOrderStays() throws {
        let profile = try #require(EncoderProfile.of(factory: "openh264enc"))
        var encoder = encoder(1_000_000, companions: [2_000_000])
        var controller = BitrateController(profile, encoder.reading)
        encoder.follow(order(0.5), &controller)
        encoder.writes = []
        for _ in 0..<10 { encoder.follow(order(0.5), &controller) }
        #expect(encoder.writes.isEmpty)
    }

    @Test func leavesTheBitrateAndItsLimitWhenTheEncoderRefuses() throws {
        let profile = try #require(EncoderProfile.of(factory: "openh264enc"))
        var encoder = encoder(1_000_000, companions: [2_000_000])
        encoder.accept = { write, reading in write.property == .bitrate ? reading.bitrate ?? 0 : write.value }
        var controller = BitrateController(profile, encoder.reading)
        encoder.follow(order(0.5), &controller)
        #expect(controller.isRefused && controller.share(encoder.reading) == 1)
        #expect(encoder.reading.bitrate == 1_000_000 && encoder.reading.companions == [2_000_000])
    }

    @Test func takesTheValueOfTheUserAsTheNewFullBitrate() throws {
        let profile = try #require(EncoderProfile.of(factory: "openh264enc"))
        var encoder = encoder(1_000_000)
        var controller = BitrateController(profile, encoder.reading)
        encoder.follow(order(0.5), &controller)
        (encoder.reading.bitrate, encoder.reading.actualBitrate) = (600_000, 600_000)
        encoder.reading.setByUser = [.bitrate]
        encoder.follow(order(0.5), &controller)
        #expect(encoder.reading.bitrate == 300_000)
        encoder.follow(order(1), &controller)
        #expect(encoder.reading.bitrate == 600_000)
    }

    @Test func keepsADriversRoundedValue() throws {
        let profile = try #require(EncoderProfile.of(factory: "openh264enc"))
        var encoder = encoder(1_000_000)
        encoder.accept = { write, _ in (write.value / 64_000).rounded(.down) * 64_000 }
        var controller = BitrateController(profile, encoder.reading)
        encoder.follow(order(0.7), &controller)
        encoder.follow(order(0.7), &controller)
        #expect(encoder.writes.count == 1 && encoder.reading.bitrate == 640_000)
    }

    // MARK: Bits per pixel

    private func pixelEncoder() -> Encoder {
        var encoder = encoder(460_000)
        encoder.reading.bitsPerPixel = 0.2
        encoder.bitratePerBits = 2_300_000
        return encoder
    }

    @Test func lowersTheBitsPerPixelOfAnEncoderThatSelectsItsBitrate() throws {
        let profile = try #require(EncoderProfile.of(factory: "vp8enc"))
        var encoder = pixelEncoder()
        var controller = BitrateController(profile, encoder.reading)
        encoder.follow(order(0.7), &controller)
        // The output starts with 256 kbit/s, although the encoder has computed 460 kbit/s.
        let lowered = encoder.reading.bitsPerPixel ?? .nan
        #expect(abs(lowered - 0.2 * 256 / 460 * 0.7) < 0.001)
        #expect(encoder.writes.allSatisfy { $0.property == .bitsPerPixel })
        #expect(abs(controller.share(encoder.reading) - 0.7) < 0.01)
        encoder.follow(order(1), &controller)
        #expect(encoder.reading.bitsPerPixel == 0.2 && controller.share(encoder.reading) == 1)
    }

    @Test func lowersTheBitrateWhenTheBitsPerPixelHaveNoEffect() throws {
        let profile = try #require(EncoderProfile.of(factory: "vp8enc"))
        var encoder = pixelEncoder()
        encoder.bitratePerBits = nil
        var controller = BitrateController(profile, encoder.reading)
        encoder.follow(order(0.7), &controller)
        #expect(encoder.reading.bitrate == 322_000 && encoder.reading.bitsPerPixel == 0.2)
    }

    /// An encoder without caps computes no bitrate, so its value must not count as a bitrate of the user.
    @Test func waitsForTheFirstFrameBeforeItTriesTheBitsPerPixel() throws {
        let profile = try #require(EncoderProfile.of(factory: "vp8enc"))
        var encoder = pixelEncoder()
        encoder.reading.framesIn = 0
        (encoder.reading.bitrate, encoder.bitratePerBits) = (256_000, nil)
        var controller = BitrateController(profile, encoder.reading)
        encoder.follow(order(0.7), &controller)
        #expect(encoder.writes.isEmpty)
        (encoder.reading.framesIn, encoder.reading.bitrate, encoder.bitratePerBits) = (1, 460_000, 2_300_000)
        encoder.follow(order(0.7), &controller)
        #expect(encoder.writes.allSatisfy { $0.property == .bitsPerPixel } && !encoder.writes.isEmpty)
    }
}
