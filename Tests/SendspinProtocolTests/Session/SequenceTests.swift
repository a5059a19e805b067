import Durations
import SendspinSecurity
import SendspinProtocol
import SendspinSupport
import Testing

/// Tests well-formed messages and calls in any order.
@Suite struct SequenceTests {
    private static let words = [
        "hello", "activate:all", "activate:player", "activate:none", "activate:playback", "activate:playback+all",
        "activate:pairing", "activate:code", "activate:dance", "rekey", "pair-done", "pair-abort", "unpair",
        "volume:30",
        "mute", "delay:250", "group:G", "metadata:one", "metadata:two+5", "controller:5", "start", "start:pcm", "chunk",
        "chunk:8", "clear", "end", "end:player", "image:10", "image:0", "wait:1", "wait:5", "admit", "leave",
    ]

    /// The rig decrypts all messages of the client, so the keys of both sides must always match.
    @Test(arguments: 0..<300) func anyOrderIsHandled(seed: Int) throws {
        var random = Mutations(seed: UInt64(seed))
        let category = ["sn", "lt", "pr"][random.below(3)]
        let rig = SessionRig(key: category == "sn" ? nil : .generate(), category: category) {
            $0.isServerInitiated = random.below(3) == 0
            $0.allowsUnpairedAccess = random.below(3) != 0
        }
        try rig.play(random.below(4) == 0 ? "connect" : "connect hello activate:all")
        var script: [String] = []
        for _ in 0..<60 where rig.closeCode == nil {
            // Use words that end most sessions less often.
            let word = Self.words[random.below(Self.words.count)]
            if ["hello", "unpair", "activate:dance"].contains(word), random.below(8) != 0 { continue }
            script.append(word)
            try rig.play(word)
        }
        check(rig, script)
    }

    private func check(_ rig: SessionRig, _ script: [String]) {
        let log = rig.log
        var isStreaming = false
        for (index, entry) in log.enumerated() {
            let place: Comment = "\(script) at \(index): \(log.suffix(8))"
            if entry.hasPrefix("started") {
                #expect(!isStreaming, place)
                isStreaming = true
            } else if entry == "ended" {
                #expect(isStreaming, place)
                isStreaming = false
            } else if entry.hasPrefix("chunk") || entry.hasPrefix("changed") || entry == "cleared" {
                #expect(isStreaming, place)
            } else if entry.hasPrefix("close") {
                #expect(index == log.count - 1, place)
                #expect(log[index - 1].hasPrefix("failed"), place)
            } else if entry == "→ client/pair-finalize" {
                #expect(rig.peer.proposal.category == "pr", place)
            }
        }
        #expect((rig.closeCode != nil) == rig.session.isClosed)
        if rig.session.isClosed {
            let deadline = rig.session.deadline
            #expect(deadline == nil)
        }
    }
}
