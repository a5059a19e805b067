@testable import SendspinProtocol
import SendspinSupport
import Testing

@Suite struct LegacyTests {
    private func rig() -> SessionRig { SessionRig { $0.dialect = .legacy } }

    private func greet(_ rig: SessionRig, isForPlayback: Bool = true) throws {
        let admission = LegacyAdmission(
            serverID: "any text", roles: SessionRig.allRoles, isForPlayback: isForPlayback)
        try rig.play("connect")
        try rig.send(.hello(ServerHello(name: "Old", legacy: admission)))
    }

    @Test func playsWithoutEncryption() throws {
        let rig = rig()
        try greet(rig)
        try rig.play("sync start chunk")
        #expect(
            rig.takeLog() == [
                "→ client/hello", "connected(none)", "activated(playback, 4 roles)", "→ state(available)",
                "started(flac)",
                "chunk(100)",
            ])
        guard case .hello(let hello) = rig.sent.first else { return }
        #expect(hello.legacy?.clientID == "test")
        #expect(hello.legacy?.commands == [.volume, .mute])
        #expect(rig.session.server == SessionServer(id: "any text", name: "Old", isEncrypted: false, keyCategory: nil))
    }

    @Test func changesOfMetadataAndGroupAreMerged() throws {
        let rig = rig()
        try greet(rig)
        try rig.play("sync metadata:one")
        _ = rig.takeLog()
        try rig.play(#"text:{"type":"server/state","payload":{"metadata":{"timestamp":1,"artist":"A"}}}"#)
        guard case .metadata(let metadata) = rig.lastEvents.last else { return }
        #expect(metadata?.title == "one")
        #expect(metadata?.artist == "A")
        try rig.send(.group(GroupUpdate(playback: nil, groupID: nil, groupName: "N")))
        try rig.send(.group(GroupUpdate(playback: .paused, groupID: nil, groupName: nil)))
        #expect(rig.takeLog().suffix(2) == ["group(-, N)", "group(paused, N)"])
    }

    @Test func imageIsOneMessage() throws {
        let rig = rig()
        try greet(rig)
        try rig.play("sync")
        _ = rig.takeLog()
        try rig.send(.streamStart(StreamStart(artwork: [ArtworkChannel.off])))
        try rig.send(binary: ArtworkMessage.image(channel: 0, timestamp: .seconds(1), data: [1, 2]).bytes)
        #expect(rig.takeLog() == ["artwork(0, 2)"])
    }

    @Test func leavingTheGroupHasNoMessage() throws {
        let rig = rig()
        try greet(rig)
        _ = rig.takeLog()
        try rig.play("leave close:shutdown")
        #expect(rig.takeLog() == ["→ goodbye(shutdown)", "close(1000)"])
    }

    @Test func encryptedServersAreRefused() throws {
        let rig = rig()
        try rig.play("connect hello")
        #expect(rig.takeLog().suffix(2) == ["failed(violation)", "close(1002)"])
    }

    @Test func encryptedSessionsRefuseTexts() throws {
        let rig = SessionRig()
        try rig.play("playing")
        _ = rig.takeLog()
        try rig.receive(.text(Array(#"{"type":"server/unpair","payload":{}}"#.utf8)))
        #expect(rig.takeLog() == ["failed(violation)", "close(1002)"])
    }
}
