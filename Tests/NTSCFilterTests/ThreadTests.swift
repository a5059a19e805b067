import AnalogVideoModel
import GstTestSupport
import Testing

struct ThreadTests {
    private static let everything = GoldenFrame.folder.appending(path: "presets/everything.json").path

    @Test(arguments: ["2", "3", "4", "0", "64"], [(97, 103), (64, 8), (33, 300)])
    func thePictureIsTheSameAtAnyNumberOfThreads(threads: String, size: (Int, Int)) {
        let input = TestPicture(width: size.0, height: size.1).bytes(.bgrx)
        func play(_ threads: String) -> [[UInt8]?] {
            let properties = ["n-threads": threads, "preset-file": Self.everything]
            let harness = makeHarness(properties, caps: PixelFormat.bgrx.caps(size.0, size.1))
            return (0..<3).map { harness.play(input, pts: $0 * second / 30) }
        }
        let alone = play("1")
        #expect(!alone.contains(nil))
        #expect(play(threads) == alone)
    }

    @Test func theNumberOfThreadsMayChangeWhilePlaying() {
        let input = TestPicture(width: 50, height: 120).bytes(.bgrx)
        let steady = makeHarness(["n-threads": "1"], caps: PixelFormat.bgrx.caps(50, 120))
        let changing = makeHarness(caps: PixelFormat.bgrx.caps(50, 120))
        for (number, threads) in ["1", "4", "2", "0", "3", "64", "1"].enumerated() {
            changing.subject["n-threads"] = threads
            let pts = UInt64(number) * second / 30
            #expect(changing.play(input, pts: pts) == steady.play(input, pts: pts))
        }
    }
}
