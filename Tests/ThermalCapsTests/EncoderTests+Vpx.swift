import CGStreamer
import StageSupport
import Testing

/// VP8 encoders, which select their bitrate from the bits per pixel.
extension EncoderTests {
    @Test func lowersTheBitsPerPixelOfVpx() {
        guard installed("vp8enc") else { return }
        let show = show(
            "policy=balanced", "vp8enc name=e deadline=1 cpu-used=16 end-usage=cbr bits-per-pixel=0.2 ! fakesink")
        show.play()
        #expect(show.becomes { show.output.frames > 3 && number(show, "target-bitrate") == 460_000 })
        show.stage.set("forced-level", to: "serious")
        #expect(show.becomes { show.action == "20/1 fps, bitrate 70%" }, "\(show.action)")
        // Never above the bitrate at the start.
        #expect(show.becomes { number(show, "target-bitrate") < 256_000 * 0.7 })
        #expect(number(show, "bits-per-pixel") < 0.14)
        show.stage.set("forced-level", to: "critical")
        #expect(show.becomes { show.action.hasPrefix("80x60") })
        // The automatic bitrate is lower for a smaller size.
        #expect(show.becomes { number(show, "target-bitrate") < 10_000 }, "\(number(show, "target-bitrate"))")
        show.stage.set("forced-level", to: "nominal")
        #expect(show.becomes { show.action == "none" && number(show, "target-bitrate") == 460_000 })
        #expect(number(show, "bits-per-pixel") == Double(Float(0.2)))
    }

    @Test func lowersTheBitrateOfVpxWhenTheUserSetsIt() {
        guard installed("vp8enc") else { return }
        let show = show(
            "policy=maintain-resolution",
            "vp8enc name=e deadline=1 cpu-used=16 target-bitrate=500000 bits-per-pixel=0.2 ! fakesink")
        show.play()
        #expect(show.becomes { show.output.frames > 3 })
        show.stage.set("forced-level", to: "serious")
        #expect(show.becomes { show.action == "bitrate 70%" && number(show, "target-bitrate") == 350_000 })
        #expect(number(show, "bits-per-pixel") == Double(Float(0.2)))
        // The user leaves the bitrate to the encoder.
        show.stage.set("target-bitrate", to: "0", of: "e")
        #expect(show.becomes { number(show, "bits-per-pixel") < 0.15 }, "\(number(show, "bits-per-pixel"))")
        #expect(show.becomes { show.action == "bitrate 70%" })
        show.stage.set("forced-level", to: "nominal")
        #expect(show.becomes { number(show, "bits-per-pixel") == Double(Float(0.2)) })
        #expect(number(show, "target-bitrate") == 460_000 && show.action == "none")
    }

    /// With a change of size alone, the origin of the bitrate is still detected.
    @Test func lowersVpxWithThePixelsAlone() {
        guard installed("vp8enc") else { return }
        let vp8 = "vp8enc name=e deadline=1 cpu-used=16 end-usage=cbr"
        for (setting, present, least) in [
            ("target-bitrate=400000", 400_000.0, 141_000.0...141_000), ("bits-per-pixel=0.2", 460_000, 1...116_000),
        ] {
            let show = show(
                "custom-ladder=\"video/x-raw;video/x-raw,width=160\"", "\(vp8) \(setting) ! fakesink")
            show.play()
            #expect(show.becomes { show.output.frames > 3 && number(show, "target-bitrate") == present })
            show.stage.set("forced-level", to: "serious")
            #expect(
                show.becomes { least.contains(number(show, "target-bitrate")) }, "\(number(show, "target-bitrate"))")
            #expect(
                show.becomes { show.action == (present == 400_000 ? "160x120, bitrate 35%" : "160x120") },
                "\(show.action)")
            show.stage.set("forced-level", to: "nominal")
            #expect(show.becomes { show.action == "none" && number(show, "target-bitrate") == present })
        }
    }

    /// On a machine that is hot from the start nothing can be measured before the first step.
    @Test func lowersTheUsersBitrateOfVpxFromTheStart() {
        guard installed("vp8enc") else { return }
        let show = show(
            "custom-ladder=\"video/x-raw;video/x-raw,width=160\" forced-level=serious",
            "vp8enc name=e deadline=1 cpu-used=16 target-bitrate=400000 ! fakesink")
        show.play()
        // Less than a second of stream.
        #expect(show.becomes { show.output.frames > 15 || number(show, "target-bitrate") == 141_000 })
        #expect(number(show, "target-bitrate") == 141_000 && show.output.frames < 30)
        show.stage.set("forced-level", to: "nominal")
        #expect(show.becomes { show.action == "none" && number(show, "target-bitrate") == 400_000 })
    }

    @Test func followsABitrateSetWhileTheBitsPerPixelAreLowered() {
        guard installed("vp8enc") else { return }
        let show = show(
            "policy=maintain-resolution",
            "vp8enc name=e deadline=1 cpu-used=16 end-usage=cbr bits-per-pixel=0.2 ! fakesink")
        show.play()
        show.stage.set("forced-level", to: "serious")
        #expect(show.becomes { show.action == "bitrate 70%" && number(show, "bits-per-pixel") < 0.15 })
        show.stage.set("target-bitrate", to: "400000", of: "e")
        #expect(show.becomes { number(show, "target-bitrate") == 280_000 })
        #expect(number(show, "bits-per-pixel") == Double(Float(0.2)))
        show.stage.set("forced-level", to: "nominal")
        #expect(show.becomes { number(show, "target-bitrate") == 400_000 && show.action == "none" })
    }
}
