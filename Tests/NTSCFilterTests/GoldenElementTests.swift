import AnalogVideoModel
import Foundation
import GstTestSupport
import Testing

/// Plays the golden frames of the reference through the element.
struct GoldenElementTests {
    @Test func allGoldenFramesExist() { #expect(GoldenFrame.all.count == 88) }

    @Test(arguments: GoldenFrame.all)
    func aFrameEqualsTheReferenceWithItsPresetFile(golden: GoldenFrame) throws {
        try check(golden, ["preset-file": golden.presetFile.path, "n-threads": "1"])
    }

    @Test(arguments: GoldenFrame.all)
    func aFrameEqualsTheReferenceWithItsPresetText(golden: GoldenFrame) throws {
        let json = try String(contentsOf: golden.presetFile, encoding: .utf8)
        for threads in 2...4 { try check(golden, ["preset-json": json, "n-threads": "\(threads)"]) }
    }

    private func check(_ golden: GoldenFrame, _ properties: [String: String]) throws {
        let format = golden.pixelFormat
        let harness = makeHarness(properties, caps: format.caps(golden.width, golden.height, golden.interlaceCaps))
        let input = try golden.inputPicture()
        let bytes = try #require(harness.play(input.bytes(format), pts: golden.pts, flags: golden.flags))
        let played = TestPicture(
            bytes, format, width: golden.width, height: golden.height, stride: format.stride(width: golden.width))
        let difference = Difference(played, try golden.outputPicture(), isDeep: format.isDeep)
        #expect(difference.passes, "\(difference)")
        #expect(played.hasRest(of: input))
        #expect(harness.subject.messages() == [])
    }
}
