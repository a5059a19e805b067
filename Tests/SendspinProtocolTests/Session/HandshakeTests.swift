import JSON
import SendspinSecurity
import SendspinProtocol
import SendspinSupport
import Testing

/// Tests faults in the handshake, and changed messages.
@Suite struct HandshakeTests {
    /// A session that has received `text` as the reply to `client/init`.
    private func rig(answering text: String) -> SessionRig {
        let rig = SessionRig()
        _ = rig.session.start(at: rig.now)
        try? rig.perform(rig.session.receive(.text(Array(text.utf8)), at: rig.now))
        return rig
    }

    private static let key = KeyPair.generate().publicKey.id

    @Test(arguments: [
        (#"{"type":"server/init","payload":{"server_id":"\#(key)","version":2}}"#, SessionFailure.Kind.refused),
        (#"{"type":"server/init","payload":{"server_id":"\#(key)","version":true}}"#, .violation),
        (#"{"type":"server/init","payload":{"server_id":"\#(key)x","version":1}}"#, .violation),
        (#"{"type":"server/init","payload":{"server_id":"abc","version":1}}"#, .violation),
        (#"{"type":"server/error","payload":{"reason":"unsupported_version"}}"#, .refused),
        (#"{"type":"server/error"}"#, .refused), (#"{"type":"server/hello","payload":{"name":"x"}}"#, .violation),
        (#"{"type":"noise/handshake","payload":{"data":"abc"}}"#, .violation), ("hello", .violation), ("", .violation),
    ]) func faultOfTheIdentityCloses(text: String, kind: SessionFailure.Kind) {
        let rig = rig(answering: text)
        #expect(rig.failure?.kind == kind)
        #expect(rig.closeCode == (kind == .violation ? 1002 : 1000))
        // The client closes without a message.
        #expect(rig.sent.isEmpty)
    }

    @Test func reasonOfTheServerIsQuoted() {
        let rig = rig(answering: #"{"type":"server/error","payload":{"reason":"unsupported_suite"}}"#)
        #expect(
            rig.failure?.text
                == "The server refused the client with the reason \"unsupported_suite\". Update the older one.")
    }

    /// `gst-launch-1.0` would print the quoted text on the terminal.
    @Test func controlCharactersOfTheServerAreNotQuoted() {
        let rig = rig(answering: #"{"type":"server/error","payload":{"reason":"x\u001b[2J\u009b\u202e\ny"}}"#)
        #expect(rig.failure?.text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value < 0x7F } ?? false)
        #expect(rig.failure?.text.contains("x [2J") ?? false)
        let long = String(repeating: "é", count: 5000)
        let other = self.rig(answering: #"{"type":"server/error","payload":{"reason":"\#(long)"}}"#)
        #expect((other.failure?.text.count ?? 0) < 200)
    }

    @Test(arguments: [
        ("!", SessionFailure.Kind.violation), ("", .authentication),
        (String(repeating: "A", count: 128), .authentication),
        (String(repeating: "A", count: 100_000), .violation),
    ]) func faultOfTheFirstMessageCloses(data: String, kind: SessionFailure.Kind) {
        let rig = rig(answering: #"{"type":"server/init","payload":{"server_id":"\#(Self.key)","version":1}}"#)
        let text = ServerMessage.handshake(data).json.bytes
        try? rig.perform(rig.session.receive(.text(text), at: rig.now))
        #expect(rig.failure?.kind == kind)
        #expect(rig.sent.isEmpty)
    }

    /// The handshake includes the exact bytes of `server/init`, so a man in the middle cannot change them.
    @Test func changedIdentificationIsNoticed() throws {
        let rig = SessionRig()
        guard case .send(.text(let text)) = rig.session.start(at: rig.now).first else { return }
        let (_, replies) = try rig.peer.receive(.text(text))
        guard case .text(let identity) = replies[0] else { return }
        _ = rig.session.receive(.text(identity + [0x20]), at: rig.now)
        try rig.receive(replies[1])
        #expect(rig.failure?.kind == .authentication)
    }

    @Test func unknownCategoryOfAKeyCloses() throws {
        let rig = SessionRig(category: "xx")
        try rig.play("connect")
        #expect(rig.failure?.kind == .violation)
    }

    @Test func binaryMessageInTheHandshakeCloses() {
        let rig = SessionRig()
        _ = rig.session.start(at: rig.now)
        try? rig.perform(rig.session.receive(.binary([1, 2, 3]), at: rig.now))
        #expect(rig.failure?.kind == .violation)
    }

    @Test(arguments: CipherSuite.allCases.filter(\.isAvailable)) func eachSuiteConnects(suite: CipherSuite) throws {
        let rig = SessionRig { $0.suite = suite }
        try rig.play("playing chunk rekey activate:playback+all chunk")
        #expect(rig.log.suffix(1) == ["chunk(100)"])
    }

    /// A client cannot decrypt a message that was changed on the way.
    @Test func changedCiphertextCloses() throws {
        let rig = SessionRig()
        try rig.play("playing")
        guard case .binary(var bytes) = try rig.peer.messages(.unpair)[0] else { return }
        bytes[3] ^= 1
        try rig.receive(.binary(bytes))
        #expect(rig.failure?.kind == .violation)
    }
}
