import CGStreamer
import GstTestSupport
import Testing

/// Tests VP8 encoders, which select their bitrate from the bits per pixel.
extension EncoderTests {
    @Test func lowersTheBitsPerPixelOfVpx() {
        guard Setup.has("vp8enc") else { return }
        let rig = makeRig(
            "policy=balanced", "vp8enc name=e deadline=1 cpu-used=16 end-usage=cbr bits-per-pixel=0.2 ! fakesink")
        rig.play()
        #expect(eventually { rig.output.frames > 3 && number(rig, "target-bitrate") == 460_000 })
        rig.pipeline.set("forced-level", to: "serious")
        #expect(eventually { rig.action == "20/1 fps, bitrate 70%" }, "\(rig.action)")
        // The share of 70 % applies to the bitrate of 256 kbit/s at the start.
        #expect(eventually { number(rig, "target-bitrate") < 256_000 * 0.7 })
        #expect(number(rig, "bits-per-pixel") < 0.14)
        rig.pipeline.set("forced-level", to: "critical")
        #expect(eventually { rig.action.hasPrefix("80x60") })
        // The automatic bitrate is lower for a smaller size.
        #expect(eventually { number(rig, "target-bitrate") < 10_000 }, "\(number(rig, "target-bitrate"))")
        rig.pipeline.set("forced-level", to: "nominal")
        #expect(eventually { rig.action == "none" && number(rig, "target-bitrate") == 460_000 })
        #expect(number(rig, "bits-per-pixel") == Double(Float(0.2)))
    }

    @Test func lowersTheBitrateOfVpxWhenTheUserSetsIt() {
        guard Setup.has("vp8enc") else { return }
        let rig = makeRig(
            "policy=maintain-resolution",
            "vp8enc name=e deadline=1 cpu-used=16 target-bitrate=500000 bits-per-pixel=0.2 ! fakesink")
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        rig.pipeline.set("forced-level", to: "serious")
        #expect(eventually { rig.action == "bitrate 70%" && number(rig, "target-bitrate") == 350_000 })
        #expect(number(rig, "bits-per-pixel") == Double(Float(0.2)))
        // The user leaves the bitrate to the encoder.
        rig.pipeline.set("target-bitrate", to: "0", of: "e")
        #expect(eventually { number(rig, "bits-per-pixel") < 0.15 }, "\(number(rig, "bits-per-pixel"))")
        #expect(eventually { rig.action == "bitrate 70%" })
        rig.pipeline.set("forced-level", to: "nominal")
        #expect(eventually { number(rig, "bits-per-pixel") == Double(Float(0.2)) })
        #expect(number(rig, "target-bitrate") == 460_000 && rig.action == "none")
    }

    /// Tests that the element detects whether the encoder selects its bitrate, even if only the size changes.
    @Test func lowersVpxWithThePixelsAlone() {
        guard Setup.has("vp8enc") else { return }
        let vp8 = "vp8enc name=e deadline=1 cpu-used=16 end-usage=cbr"
        for (setting, present, least) in [
            ("target-bitrate=400000", 400_000.0, 141_000.0...141_000), ("bits-per-pixel=0.2", 460_000, 1...116_000),
        ] {
            let rig = makeRig(
                "custom-ladder=\"video/x-raw;video/x-raw,width=160\"", "\(vp8) \(setting) ! fakesink")
            rig.play()
            #expect(eventually { rig.output.frames > 3 && number(rig, "target-bitrate") == present })
            rig.pipeline.set("forced-level", to: "serious")
            #expect(
                eventually { least.contains(number(rig, "target-bitrate")) }, "\(number(rig, "target-bitrate"))")
            #expect(
                eventually { rig.action == (present == 400_000 ? "160x120, bitrate 35%" : "160x120") },
                "\(rig.action)")
            rig.pipeline.set("forced-level", to: "nominal")
            #expect(eventually { rig.action == "none" && number(rig, "target-bitrate") == present })
        }
    }

    /// On a machine that is hot from the start, the element measures no bitrate before the first step.
    @Test func lowersTheUsersBitrateOfVpxFromTheStart() {
        guard Setup.has("vp8enc") else { return }
        let rig = makeRig(
            "custom-ladder=\"video/x-raw;video/x-raw,width=160\" forced-level=serious",
            "vp8enc name=e deadline=1 cpu-used=16 target-bitrate=400000 ! fakesink")
        rig.play()
        // 30 frames are a second of the stream.
        #expect(eventually { rig.output.frames > 15 || number(rig, "target-bitrate") == 141_000 })
        #expect(number(rig, "target-bitrate") == 141_000 && rig.output.frames < 30)
        rig.pipeline.set("forced-level", to: "nominal")
        #expect(eventually { rig.action == "none" && number(rig, "target-bitrate") == 400_000 })
    }

    @Test func followsABitrateSetWhileTheBitsPerPixelAreLowered() {
        guard Setup.has("vp8enc") else { return }
        let rig = makeRig(
            "policy=maintain-resolution",
            "vp8enc name=e deadline=1 cpu-used=16 end-usage=cbr bits-per-pixel=0.2 ! fakesink")
        rig.play()
        rig.pipeline.set("forced-level", to: "serious")
        #expect(eventually { rig.action == "bitrate 70%" && number(rig, "bits-per-pixel") < 0.15 })
        rig.pipeline.set("target-bitrate", to: "400000", of: "e")
        #expect(eventually { number(rig, "target-bitrate") == 280_000 })
        #expect(number(rig, "bits-per-pixel") == Double(Float(0.2)))
        rig.pipeline.set("forced-level", to: "nominal")
        #expect(eventually { number(rig, "target-bitrate") == 400_000 && rig.action == "none" })
    }
}
