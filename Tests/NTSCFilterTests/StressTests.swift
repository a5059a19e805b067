import TestSupport
import AnalogVideoModel
import CGStreamer
import Synchronization
import GstTestSupport
import Testing

/// Tests misuse and load; with `LONG_TESTS=1` these tests run for minutes.
struct StressTests {
    private static let rounds = Setup.isLong ? 100 : 1
    private let input = TestPicture(width: 48, height: 40).bytes(.bgrx)

    /// Any thread may set any property at any time.
    @Test func propertiesMayChangeWhileFramesFlow() throws {
        let harness = makeHarness(caps: PixelFormat.bgrx.caps(48, 40))
        let filter = harness.subject
        let dice = Mutex(Random(seed: 1))
        let everything = GoldenFrame.folder.appending(path: "presets/everything.json").path
        let texts: [(String, [String])] = [
            ("preset-file", [everything, "/nowhere", ""]),
            ("preset-json", ["soup", "{ \"version\": 1 }", "{ \"version\": 1, \"luma_smear\": 0.3 }"]),
        ]
        let fuzz: @Sendable () -> Void = {
            dice.withLock { dice in
                let row = SettingRow.all.randomElement(using: &dice)!
                filter[row.propertyName] = StressTests.text(for: row, &dice)
                _ = filter[row.propertyName]
                if Int.random(in: 0..<20, using: &dice) == 0 {
                    filter["n-threads"] = "\(Int.random(in: 0...5, using: &dice))"
                    filter["enabled"] = Bool.random(using: &dice) ? "true" : "false"
                    let (name, values) = texts.randomElement(using: &dice)!
                    filter[name] = values.randomElement(using: &dice)
                    _ = filter["preset-json"]
                }
            }
        }
        let frames = 400 * Self.rounds
        TestThread.repeating(fuzz) {
            for frame in 0..<frames { #expect(harness.play(input, pts: UInt64(frame)) != nil) }
        }
        #expect(filter.messages().allSatisfy { $0.text.contains("nowhere") || $0.text.contains("preset-json") })
    }

    private static func text(for row: SettingRow, _ dice: inout Random) -> String {
        switch row.kind {
        case .toggle: Bool.random(using: &dice) ? "true" : "false"
        case .integer(let range): "\(Int32.random(in: range, using: &dice))"
        case .real(let range):
            [
                "\(range.lowerBound)", "\(range.upperBound)", "\(Float.random(in: range, using: &dice))", "nan", "inf",
            ].randomElement(using: &dice)!
        case .choice(_, let options): options.randomElement(using: &dice)!.nick
        }
    }

    @Test func settingsAtTheirLimitsMakePicturesOfAnySize() throws {
        var dice = Random(seed: 2)
        for _ in 0..<(60 * Self.rounds) {
            let (width, height) = (Int.random(in: 1...70, using: &dice), Int.random(in: 1...70, using: &dice))
            let format = PixelFormat.allRGB.randomElement(using: &dice)!
            let harness = makeHarness(caps: format.caps(width, height))
            for row in SettingRow.all { harness.subject[row.propertyName] = Self.text(for: row, &dice) }
            harness.subject["n-threads"] = "\(Int.random(in: 1...3, using: &dice))"
            let input = TestPicture(width: width, height: height, isDeep: format.isDeep)
            let pts = UInt64.random(in: 0...(1 << 60), using: &dice)
            let output = try #require(harness.play(input.bytes(format), pts: pts))
            let played = TestPicture(output, format, width: width, height: height, stride: format.stride(width: width))
            #expect(played.rest.isEmpty || played.hasRest(of: input))
        }
    }

    @Test func anyFormatIsPlayedOrRefused() {
        var dice = Random(seed: 3)
        let formats = PixelFormat.allCases.map(\.rawValue) + ["Y41B", "NV16", "v210", "ENCODED"]
        let rates = ["0/1", "1/1", "30000/1001", "2147483647/1", "1/2147483647"]
        let modes = ["progressive", "interleaved", "mixed", "fields", "alternate"]
        let harness = makeHarness(caps: PixelFormat.bgrx.caps(4, 4))
        var playedCount = 0
        for _ in 0..<(300 * Self.rounds) {
            let format = formats.randomElement(using: &dice)!
            let mode = modes.randomElement(using: &dice)!
            let (width, height) = (Int.random(in: 0...40, using: &dice), Int.random(in: 0...40, using: &dice))
            let feature = mode == "alternate" && Bool.random(using: &dice) ? "(format:Interlaced)" : ""
            let caps = """
                video/x-raw\(feature),format=\(format),width=\(width),height=\(height),\
                framerate=\(rates.randomElement(using: &dice)!),interlace-mode=\(mode)
                """
            guard harness.offer(caps) else { continue }
            #expect(PixelFormat(rawValue: format) != nil && width > 0 && height > 0, "\(caps)")
            // A buffer of any size causes no error.
            let size = Int.random(in: 1...(40 * 40 * 8), using: &dice)
            let flags = UInt32.random(in: 0..<8, using: &dice) << 20
            let output = harness.play([UInt8](repeating: 9, count: size), pts: 0, flags: flags)
            #expect(output == nil || output?.count == size)
            if output != nil { playedCount += 1 }
        }
        #expect(playedCount > 20 * Self.rounds)
        #expect(harness.subject.messages().allSatisfy { $0.type == "warning" })
    }

    @Test(arguments: ["65537x1", "1x65537", "2147483647x1", "1x2147483647", "2147483647x2147483647", "65536x65536"])
    func refusesSizesOutOfRange(size: String) {
        let harness = makeHarness(caps: PixelFormat.bgrx.caps(4, 4))
        let sides = size.split(separator: "x").compactMap { Int($0) }
        #expect(!harness.offer(PixelFormat.bgrx.caps(sides[0], sides[1])))
        // The caps must differ from the last caps, which GstBaseTransform would accept without negotiation.
        #expect(harness.offer(PixelFormat.bgrx.caps(4, 5)))
        #expect(harness.play([UInt8](repeating: 9, count: 80)) != nil)
    }

    @Test(arguments: [(65_536, 1), (1, 65_536), (65_536, 3)])
    func theLargestSidesArePlayed(size: (Int, Int)) {
        let harness = makeHarness(caps: PixelFormat.bgrx.caps(size.0, size.1))
        #expect(harness.play([UInt8](repeating: 99, count: size.0 * size.1 * 4), pts: 0) != nil)
    }

    @Test func flushesMayComeAtAnyMoment() {
        let harness = makeHarness(caps: PixelFormat.bgrx.caps(48, 40))
        let fuzz: @Sendable () -> Void = {
            let buffer = newBuffer([UInt8](repeating: 9, count: 48 * 40 * 4), pts: 0)
            gst_pad_push(harness.raw.pointee.srcpad, buffer)
            while let output = harness.pullRaw() { gst_buffer_unref(output) }
        }
        TestThread.repeating(fuzz) {
            for _ in 0..<(500 * Self.rounds) {
                harness.push(event: gst_event_new_flush_start())
                harness.push(event: gst_event_new_flush_stop(1))
                harness.beginSegment()
            }
        }
        let undisturbed = makeHarness(caps: PixelFormat.bgrx.caps(48, 40)).play(input, pts: 0)
        #expect(undisturbed != nil && harness.play(input, pts: 0) == undisturbed)
        #expect(harness.subject.messages() == [])
    }

    @Test func statesMayChangeHundredsOfTimes() {
        let harness = makeHarness(["n-threads": "2"], caps: PixelFormat.bgrx.caps(48, 40))
        let first = harness.play(input, pts: 0)
        let states = [GST_STATE_NULL, GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_PLAYING]
        var dice = Random(seed: 4)
        for round in 0..<(300 * Self.rounds) {
            gst_element_set_state(harness.subject.element, states.randomElement(using: &dice)!)
            guard round % 10 == 0 else { continue }
            harness.restart(caps: PixelFormat.bgrx.caps(48, 40))
            #expect(harness.play(input, pts: 0) == first)
        }
        #expect(first != nil)
    }

    @Test func elementsCanBeCreatedAndFreedRepeatedly() {
        for _ in 0..<(100 * Self.rounds) {
            let harness = makeHarness(["n-threads": "3"], caps: PixelFormat.bgrx.caps(48, 40))
            #expect(harness.play(input) != nil)
        }
    }
}
