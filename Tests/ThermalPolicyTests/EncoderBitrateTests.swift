import Testing
import ThermalPolicy

@Suite struct EncoderBitrateTests {
    @Test(arguments: [
        ("x264enc", "bitrate", 1000.0), ("x265enc", "bitrate", 1000), ("openh264enc", "bitrate", 1),
        ("vp8enc", "target-bitrate", 1), ("vp9enc", "target-bitrate", 1), ("av1enc", "target-bitrate", 1000),
        ("svtav1enc", "target-bitrate", 1000), ("nvh264enc", "bitrate", 1024), ("nvh265enc", "bitrate", 1024),
        ("vah264enc", "bitrate", 1000), ("v4l2h264enc", "extra-controls", 1), ("qsvh264enc", "bitrate", 1000),
        ("mpph264enc", "bps", 1),
    ])
    func encodersHaveTheirProperty(factory: String, property: String, bits: Double) throws {
        let found = try #require(EncoderBitrate.of(factory: factory))
        #expect(found.property == property && found.bitsPerUnit == bits)
    }

    @Test func settingsMatchOneValueOrAllOthers() throws {
        let pass = try #require(EncoderBitrate.of(factory: "x264enc")?.unless.first?.first)
        #expect(pass.matches("quant") && !pass.matches("cbr"))
        let qp = try #require(EncoderBitrate.of(factory: "x265enc")?.unless.first?.first)
        #expect(qp.matches("30") && !qp.matches("-1"))
    }
}
