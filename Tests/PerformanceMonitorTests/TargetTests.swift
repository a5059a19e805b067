import CGStreamer
import Foundation
import GstTestSupport
import Synchronization
import Testing

/// Tests targets and alerts.
struct TargetTests {
    private static let line =
        "videotestsrc is-live=true ! capsfilter caps=video/x-raw,framerate=30/1,width=32,height=32 ! identity name=i ! fakesink name=s perfmonitor name=m report=none "

    @Test func unreadableTargetsAreOneError() {
        let posted = Pipeline(Self.line + "targets=\"i: p96=20ms\"").play()
        #expect(posted.count == 1)
        #expect(posted.first?.hasPrefix("error: The targets cannot be read: column 4: \"p96\"") == true, "\(posted)")
    }

    @Test func unmatchedTargetIsOneWarning() {
        let pipeline = Pipeline(Self.line + "targets=\"absent: p95=20ms\"")
        gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
        var posted: [String] = []
        #expect(
            eventually {
                posted += pipeline.listen(seconds: 0)
                return !posted.isEmpty
            })
        posted += pipeline.listen(seconds: 1)
        #expect(posted.count == 1)
        let text = "warning: No element of the pipeline was called \"absent\""
        #expect(posted.first?.hasPrefix(text) == true, "\(posted)")
    }

    /// Tests that messages, signals and the property `alerts` agree, and that the vote is an upstream event.
    @Test func alertIsRaisedVotedAndCleared() {
        let pipeline = Pipeline(Self.line + "act=vote targets=\"i: p50=2ms\"")
        let votes = RequestCount(pipeline, "i", reason: "m:performance")
        let signals = Signals(votes)
        signals.connect(to: pipeline.element("m"))
        pipeline.set("sleep-time", to: "15000", of: "i")
        #expect(pipeline.go(GST_STATE_PLAYING))
        var posted: [String] = []
        func hear(_ part: String) -> Bool {
            eventually {
                posted += pipeline.listen(seconds: 0)
                return posted.contains { $0.contains(part) }
            }
        }
        #expect(hear("change=(string)raised"))
        #expect(pipeline.get("alerts", of: "m").contains("alert-0"))
        #expect(eventually { votes.count > 0 })
        // Votes are sent before the signal is emitted, because its handlers may block.
        #expect(eventually { signals.count > 0 })
        #expect(signals.votesBefore == 1)
        pipeline.set("sleep-time", to: "0", of: "i")
        #expect(hear("change=(string)cleared"))
        #expect(eventually { !pipeline.get("alerts", of: "m").contains("alert-0") })
        pipeline.end()
        #expect(posted.allSatisfy { $0.hasPrefix("element: performance-alert") })
        #expect(posted.allSatisfy { $0.contains("text=(string)\"i\\ p50\\ ") }, "\(posted)")
        #expect(signals.count == posted.count)
    }
}

/// Counts the signal `performance-alert`.
private final class Signals: Sendable {
    private let cell = Atomic<Int>(0)
    private let firstVotes = Atomic<Int>(0)
    private let votes: RequestCount

    init(_ votes: RequestCount) { self.votes = votes }

    var count: Int { cell.load(ordering: .acquiring) }
    /// Number of votes that were sent before the first signal.
    var votesBefore: Int { firstVotes.load(ordering: .relaxed) }

    private func arrived() {
        if count == 0 { firstVotes.store(votes.count, ordering: .relaxed) }
        cell.add(1, ordering: .releasing)
    }

    func connect(to monitor: RawElement) {
        let handler: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, signals in
            Unmanaged<Signals>.fromOpaque(signals!).takeUnretainedValue().arrived()
        }
        g_signal_connect_data(
            monitor, "performance-alert", unsafeBitCast(handler, to: GCallback.self),
            Unmanaged.passRetained(self).toOpaque(),
            { signals, _ in Unmanaged<Signals>.fromOpaque(signals!).release() }, GConnectFlags(rawValue: 0))
    }
}
