import Durations
@testable import SendspinProtocol
import SendspinSupport
import Testing

/// Tests which data of the visualizer role are reported, and when.
@Suite struct VisualizerReceiverTests {
    private static let estimate = ClockEstimate(at: .zero, offset: .seconds(10), drift: 0, uncertainty: .zero)

    /// In a script, `l5` is a loudness for the local time 5 ms, `b5` a beat, and `s5` a spectrum; `t5` advances to 5 ms;
    /// `c` clears the stream; `j` is a step of the clock.
    ///
    /// Returns the reported frames as `time:data` in milliseconds, and after them the number of dropped messages, if any.
    private func run(_ drawing: String) -> String {
        var receiver = Session.VisualizerReceiver(bandCount: 2)
        var reported: [String] = []
        var now = Duration.zero
        for word in drawing.split(separator: " ") {
            let number = Int(word.dropFirst()) ?? 0
            let time = Duration.seconds(10) + .milliseconds(number)
            switch word.first {
            case "l": receiver.receive(VisualizerFrame(timestamp: time, loudness: 1), size: 11, at: now)
            case "b": receiver.receive(VisualizerFrame(timestamp: time, isDownbeat: true), size: 10, at: now)
            case "s": receiver.receive(VisualizerFrame(timestamp: time, spectrum: [1, 2]), size: 13, at: now)
            case "c": receiver.clear()
            case "j": receiver.clockStepped()
            default:
                now = .milliseconds(number)
                for frame in receiver.advance(to: now, Self.estimate) {
                    let data = [
                        frame.loudness == nil ? "" : "l", frame.isDownbeat == nil ? "" : "b",
                        frame.spectrum == nil ? "" : "s",
                    ]
                    reported.append("\((frame.timestamp - .seconds(10)) / .milliseconds(1)):\(data.joined())")
                }
            }
        }
        if receiver.droppedCount > 0 { reported.append("-\(receiver.droppedCount)") }
        return reported.joined(separator: " ")
    }

    @Test func framesAreReported200MillisecondsBeforeTheirTime() {
        #expect(run("l1000 b1500 t799") == "")
        #expect(run("l1000 b1500 t800 t1299") == "1000.0:l")
        #expect(run("l1000 b1500 t800 t1300 t2000") == "1000.0:l 1500.0:b")
    }

    @Test func dataOfOneTimeAreOneFrame() {
        #expect(run("l1000 b1002 s1004 l1005 t900") == "1000.0:lbs 1005.0:l")
        // The second message of the frame arrives when its time has come.
        #expect(run("t900 l1000 t905 s1000 t909 t910") == "1000.0:ls")
    }

    @Test func dataThatAreLateOrOutOfOrderAreDropped() {
        #expect(run("t100 l109 t110") == "-1")
        #expect(run("t100 l110 t110") == "110.0:l")
        #expect(run("l1000 l900 t900") == "1000.0:l -1")
        #expect(run("l1000 t900 l1004 l1005 t920") == "1000.0:l 1005.0:l -1")
    }

    @Test func clearDiscardsWhatWaitsAndRepeatsNothing() {
        #expect(run("l1000 l1500 t900 c l1000 l1200 t1100") == "1000.0:l 1200.0:l -1")
        #expect(run("l1000 l1500 t900 j l1000 t910") == "1000.0:l 1000.0:l")
    }

    @Test func spectrumMustHaveTheRequestedBands() {
        var receiver = Session.VisualizerReceiver(bandCount: 2)
        for count in [0, 1, 3, 30_000] {
            let frame = VisualizerFrame(timestamp: .seconds(11), spectrum: [UInt16](repeating: 1, count: count))
            receiver.receive(frame, size: 9 + (2 * count), at: .zero)
        }
        #expect(receiver.droppedCount == 4 && receiver.byteCount == 0)
    }

    @Test func nothingIsReportedWithoutAnEstimate() {
        var receiver = Session.VisualizerReceiver(bandCount: 2)
        receiver.receive(VisualizerFrame(timestamp: .seconds(11), peak: 5), size: 10, at: .zero)
        let deadline = receiver.deadline(nil)
        #expect(deadline == nil)
        let early = receiver.advance(to: .seconds(20), nil)
        #expect(early == [])
        let next = receiver.deadline(Self.estimate)
        #expect(next == .milliseconds(800))
    }

    @Test func bytesAreBounded() {
        var receiver = Session.VisualizerReceiver(bandCount: 2)
        for number in 0..<10_000 {
            let time = Duration.seconds(11) + .milliseconds(number.isMultiple(of: 3) ? 0 : 10 * number)
            receiver.receive(VisualizerFrame(timestamp: time, peak: 5), size: 10, at: .zero)
        }
        #expect(receiver.byteCount <= VisualizerRequest.bufferCapacity)
        #expect(receiver.byteCount > VisualizerRequest.bufferCapacity - 10)
        #expect(receiver.droppedCount > 5_000)
        receiver.end()
        #expect(receiver.byteCount == 0)
    }

    /// A server sends data for any time around the present, and clears its stream again and again.
    @Test func atMost200FramesAreReportedPerSecond() {
        var (receiver, mutations) = (Session.VisualizerReceiver(bandCount: 2), Mutations(seed: 1))
        var times: [Duration] = []
        for step in 0..<100_000 {
            let now = Duration.microseconds(100 * step)
            if mutations.below(500) == 0 { receiver.clear() }
            let time = Duration.seconds(10) + now + .microseconds(mutations.below(300_000) - 20_000)
            receiver.receive(VisualizerFrame(timestamp: time, loudness: 1), size: 11, at: now)
            times += receiver.advance(to: now, Self.estimate).map { _ in now }
        }
        #expect(times.count > 200)
        for (number, time) in times.enumerated() {
            let end = times[number...].firstIndex { $0 - time > .seconds(1) } ?? times.count
            guard end - number <= 241 else {
                Issue.record("\(end - number) frames in a second")
                break
            }
        }
    }
}
