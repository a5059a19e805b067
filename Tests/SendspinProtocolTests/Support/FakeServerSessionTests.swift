import SendspinSecurity
@testable import SendspinProtocol
import SendspinSupport
import Testing
import Threads

/// Tests the session of the player with the fake server, which reports each violation.
@Suite struct FakeServerSessionTests {
    @Test(arguments: CipherSuite.allCases)
    func playerReceivesAllAudioWithoutAViolation(_ suite: CipherSuite) throws {
        guard suite.isAvailable else { return }
        let server = try FakeServer()
        let player = try SocketSession(server, suite: suite)
        #expect(player.run { $0.isConverged })
        server.play(.pcm(bitDepth: 24, length: 48_000), lead: .milliseconds(400))
        #expect(player.run { $0.chunks.count == 40 })
        let pcm = player.chunks.flatMap(\.payload)
        #expect(RampSignal.indices(pcm: pcm, bitDepth: 24) == (0..<48_000).map { $0 })
        server.command(.volume(30))
        server.command(.outputDelay(.milliseconds(12)))
        #expect(player.run { _ in server.report.counts["client/state", default: 0] >= 3 })
        #expect(server.report.state?.player?.volume == 30)
        #expect(server.report.state?.player?.outputDelay == .milliseconds(12))
        player.change { $0.close(.userRequest) }
        #expect(server.wait { $0[0].goodbye == .userRequest })
        #expect(server.violations == [])
    }

    @Test func legacyPlayerReceivesAllAudioWithoutAViolation() throws {
        var settings = PeerSettings()
        settings.allowsLegacy = true
        let server = try FakeServer(settings)
        let player = try SocketSession(server, dialect: .legacy)
        #expect(player.run { $0.isConverged })
        server.play(.pcm(length: 24_000), lead: .milliseconds(400))
        #expect(player.run { $0.chunks.count == 20 })
        let pcm = player.chunks.flatMap(\.payload)
        #expect(RampSignal.indices(pcm: pcm, bitDepth: 16) == (0..<24_000).map { $0 })
        server.command(.volume(30))
        #expect(player.run { _ in server.report.state?.player?.volume == 30 })
        #expect(server.violations == [])
    }

    @Test func playerPairsByItsTokenAndReturnsWithTheKey() throws {
        let server = try FakeServer()
        let player = try SocketSession(server)
        #expect(player.run { $0.isConverged })
        server.pair(player.token)
        var record: PairingRecord?
        #expect(
            player.run { player in
                for case .paired(let new) in player.events { record = new }
                return record != nil && server.report.keyCategory == "lt"
            })
        var credentials = player.credentials
        credentials.records = [try #require(record)]
        let again = try SocketSession(server, credentials: credentials)
        #expect(again.run { $0.isConverged })
        #expect(server.report.keyCategory == "lt")
        server.unpair()
        #expect(again.run { $0.isClosed })
        #expect(server.wait { $0[1].goodbye == .unpaired })
        #expect(server.violations == [])
    }

    @Test func formatsPositionsAndHandshakesChangeWithoutAViolation() throws {
        let server = try FakeServer()
        server.setSendAhead(.milliseconds(500))
        let player = try SocketSession(server)
        #expect(player.run { $0.isConverged })
        server.play(.pcm(), lead: .milliseconds(400))
        for turn in 0..<12 {
            player.forgetEvents()
            switch turn % 4 {
            case 0: server.change(to: .flac())
            case 1: server.play(.pcm(), lead: .milliseconds(400), firstIndex: Int64(turn) * 1_000_000)
            case 2: server.change(to: .pcm(bitDepth: 24))
            default: server.renewHandshake()
            }
            #expect(player.run { $0.chunks.count >= 6 })
        }
        #expect(player.run { _ in server.report.handshakeCount == 4 })
        #expect(server.violations == [])
        #expect(player.failure == nil)
    }

    @Test(arguments: HandshakeFault.allCases)
    func playerGivesUpAFaultyHandshakeWithAReason(_ fault: HandshakeFault) throws {
        var settings = PeerSettings()
        settings.handshakeFault = fault
        let server = try FakeServer(settings)
        let player = try SocketSession(server)
        #expect(!player.run { _ in false })
        #expect(player.isClosed)
        #expect(player.failure?.text.isEmpty == false)
        #expect(!server.report.isActive)
    }

    @Test(arguments: AttackGenerator.Kind.allCases)
    func playerContinuesAfterAnAttackOrEndsWithAReason(_ kind: AttackGenerator.Kind) throws {
        var generator = AttackGenerator(seed: 3)
        let server = try FakeServer()
        for volume in 1...8 {
            let player = try SocketSession(server)
            #expect(player.run { $0.isConverged })
            server.attack((0..<20).map { _ in generator.next(kind) })
            // Activate the role of the player again, which the attack may have ended.
            server.send(.activation(ServerActivation(activities: [.playback], roles: ["player@v1"])))
            server.command(.volume(volume))
            let isAlive = player.run { _ in server.report.state?.player?.volume == volume }
            let isUnpaired = player.events.contains { if case .unpaired = $0 { true } else { false } }
            #expect(isAlive || (player.isClosed && (player.failure != nil || isUnpaired)))
            player.change { $0.close(.shutdown) }
        }
        #expect(server.reports.count == 8)
    }

    @Test func endlessFragmentsEndTheSession() throws {
        let server = try FakeServer()
        let player = try SocketSession(server)
        #expect(player.run { $0.isConverged })
        server.attack(AttackGenerator.endlessFragments(500))
        #expect(!player.run { _ in false })
        #expect(player.failure?.kind == .violation)
    }
}
