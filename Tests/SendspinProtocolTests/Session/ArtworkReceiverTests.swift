import Durations
@testable import SendspinProtocol
import Testing

/// In the scripts, `A5` announces an image of 5 bytes on channel 0, `B5` on channel 1, and `X5` on an unknown channel;
/// `p3` is a part of 3 bytes on the last channel, `q3` on the other channel; `c` cancels; `t1` advances to 1 s.
@Suite struct ArtworkReceiverTests {
    private let estimate = ClockEstimate(at: .zero, offset: .seconds(10), drift: 0, uncertainty: .zero)

    /// Returns the images that are shown, as `channel:size`.
    private func run(_ drawing: String) throws(SessionFailure) -> String {
        var receiver = Session.ArtworkReceiver(channelCount: 2, sizeLimit: 8)
        var shown: [String] = []
        var channel = 0
        for word in drawing.split(separator: " ") {
            let number = Int(word.dropFirst()) ?? 0
            let data = [UInt8](repeating: 1, count: number)[...]
            switch word.first {
            case "A", "B", "X":
                channel = word.first == "A" ? 0 : word.first == "B" ? 1 : 3
                try receiver.receive(.announcement(channel: channel, timestamp: .seconds(11), size: number))
            case "p": try receiver.receive(.part(channel: channel, data: data))
            case "q": try receiver.receive(.part(channel: channel ^ 1, data: data))
            case "c": try receiver.receive(.cancellation(channel: channel))
            default:
                for (channel, image) in receiver.advance(to: .seconds(number), estimate) {
                    shown.append("\(channel):\(image.count)")
                }
            }
            guard receiver.byteCount <= 16 else { return "too many bytes" }
        }
        return shown.joined(separator: " ")
    }

    @Test func imagesAreShownAtTheirTime() throws {
        #expect(try run("A5 p5 t0") == "")
        #expect(try run("A5 p2 p3 t1") == "0:5")
        #expect(try run("A5 p5 B3 p3 t1 t2") == "0:5 1:3")
        #expect(try run("A0 t1") == "0:0")
    }

    @Test func laterImageReplacesOneThatIsNotShown() throws {
        #expect(try run("A5 p5 A3 p3 t1") == "0:3")
        // The announcement discards the previous image, before any part arrives.
        #expect(try run("A5 p5 A3 t1") == "")
        #expect(try run("A5 p5 A3 p3 c t1") == "")
        #expect(try run("A5 p3 c t1 A2 p2 t1") == "0:2")
    }

    @Test func imagesThatAreTooLargeOrNotRequestedAreDiscarded() throws {
        #expect(try run("A9 p5 p4 t1 A8 p8 t1") == "0:8")
        #expect(try run("X5 p5 t1 A2 p2 t1") == "0:2")
    }

    @Test func violationsCloseTheConnection() {
        for (drawing, clause) in [
            ("A5 B5", "an image is announced while another one arrives"),
            ("p1", "a part of an image was not announced"),
            ("A5 q5", "a part of an image was not announced"), ("A5 p5 p1", "a part of an image was not announced"),
            ("A5 p6", "the parts of an image exceed its size"), ("A9 p10", "the parts of an image exceed its size"),
        ] {
            #expect(throws: SessionFailure.violation(clause), "\(drawing)") { try run(drawing) }
        }
    }

    @Test func endDiscardsAllAndNamesWhatIsShown() throws {
        var receiver = Session.ArtworkReceiver(channelCount: 2, sizeLimit: 8)
        for channel in 0...1 {
            try receiver.receive(.announcement(channel: channel, timestamp: .seconds(11), size: 1))
            try receiver.receive(.part(channel: channel, data: [1]))
            if channel == 0 { _ = receiver.advance(to: .seconds(1), estimate) }
        }
        let shown = receiver.end()
        #expect(shown == [0])
        #expect(receiver.byteCount == 0)
        let deadline = receiver.deadline(estimate)
        #expect(deadline == nil)
    }

    @Test func imageWithoutAnEstimateIsShownAtOnce() throws {
        var receiver = Session.ArtworkReceiver(channelCount: 1, sizeLimit: 8)
        try receiver.receive(.announcement(channel: 0, timestamp: .seconds(11), size: 0))
        let deadline = receiver.deadline(nil)
        #expect(deadline == .zero)
        #expect(receiver.advance(to: .zero, nil).count == 1)
    }
}
