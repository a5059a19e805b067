import CGStreamer
import Foundation
import GstTestSupport
import SendspinSecurity
import SendspinSupport
import SendspinProtocol
import Testing

/// Tests pairing, servers without encryption, and the secrecy of keys.
@Suite(.serialized) struct TrustTests {
    @Test func tokenPairsAndThePairingSurvivesARestart() throws {
        let folder = Setup.newFolder()
        let server = try FakeServer()
        do {
            let rig = try SendspinRig(server: server, folder: folder)
            try #require(rig.start())
            let text = try #require(SignalEmission("get-pairing-token").emit(on: rig.pipeline.element()))
            server.pair(try #require(PairingToken(text: text)))
            #expect(server.wait { $0.last?.keyCategory == "lt" && $0.last?.isActive == true })
            #expect(
                rig.bus.has(
                    "element: sendspin-pairing", "paired=(boolean)true", "name=(string)\"fake\\ server\"",
                    server.identity.publicKey.id))
            let records = folder.appending(path: "pairings.json")
            #expect(eventually { FileManager.default.fileExists(atPath: records.path) })
            server.play(.pcm(), lead: .milliseconds(600))
            #expect(rig.hasBytes(4_800))
            #expect(server.violations == [])
            rig.pipeline.go(GST_STATE_NULL)
            #expect(server.wait { $0.last?.closure != nil })
            let again = try SendspinRig(server: server, folder: folder)
            try #require(again.start())
            #expect(server.report.keyCategory == "lt")
            #expect(again.bus.has("element: sendspin-server", "paired=(boolean)true"))
            #expect(server.violations == [])
        }
    }

    @Test func pairingThatTheServerDeletesIsAMessage() throws {
        let rig = try SendspinRig()
        try #require(rig.start())
        let text = try #require(SignalEmission("get-pairing-token").emit(on: rig.pipeline.element()))
        rig.server.pair(try #require(PairingToken(text: text)))
        #expect(rig.server.wait { $0.last?.keyCategory == "lt" && $0.last?.isActive == true })
        rig.server.unpair()
        #expect(rig.bus.has("element: sendspin-pairing", "paired=(boolean)false", rig.server.identity.publicKey.id))
        #expect(rig.bus.has("warning", "Pair it again"))
    }

    /// The reference server activates a player that is not approved, but gives it no roles.
    @Test func playerThatIsNotApprovedIsAWarningThatStatesWhatToDo() throws {
        var settings = PeerSettings()
        settings.roles = []
        let rig = try SendspinRig(server: try FakeServer(settings))
        gst_element_set_state(rig.pipeline.raw, GST_STATE_PLAYING)
        #expect(rig.bus.has("warning", "fake server", "Approve the player", "or pair it"))
        #expect(rig.bus.problems.count == 1)
        #expect(rig.server.violations == [])
    }

    /// If the files of a player were lost, its paired server names a key that the player does not have.
    @Test func lostPairingIsAWarningThatStatesWhatToDo() throws {
        var settings = PeerSettings()
        settings.namesUnknownKey = true
        let rig = try SendspinRig(server: try FakeServer(settings))
        gst_element_set_state(rig.pipeline.raw, GST_STATE_PLAYING)
        #expect(rig.bus.has("warning", "Pair them again"))
        #expect(rig.server.violations == [])
    }

    /// Creates the folder of a player that is paired with another server than the fake server.
    private func pairedFolder() throws -> URL {
        let folder = Setup.newFolder()
        try Store(folder: folder.path).keep(
            PairingRecord(server: KeyPair.generate().publicKey, key: .generate(), name: "other"))
        return folder
    }

    @Test(arguments: [("until-paired", true), ("never", false)])
    func serverThatIsNotPairedCannotPlay(access: String, isPaired: Bool) throws {
        let rig = try SendspinRig(
            SendspinRig.decoding, "unpaired-access=\(access)",
            folder: isPaired ? try pairedFolder() : Setup.newFolder())
        gst_element_set_state(rig.pipeline.raw, GST_STATE_PLAYING)
        #expect(rig.server.wait { $0.last?.goodbye == .pairingRequired })
        #expect(rig.server.reports.first?.hello?.isUnpairedAccessEnabled == false)
        #expect(rig.bus.has("warning", "must be paired", "get-pairing-token", "unpaired-access=always"))
        #expect(rig.server.reports.allSatisfy { $0.state == nil })
    }

    @Test func serverThatIsNotPairedMayPlayIfTheUserWants() throws {
        let rig = try SendspinRig(SendspinRig.decoding, "unpaired-access=always", folder: try pairedFolder())
        try #require(rig.start())
        #expect(rig.server.report.hello?.isUnpairedAccessEnabled == true)
    }

    /// If its pairings cannot be read, a player must assume that it is paired.
    @Test func damagedPairingsAdmitNoUnpairedServer() throws {
        let folder = try pairedFolder()
        let file = folder.appending(path: Store.recordsName)
        try FileHandle(forWritingTo: file).truncate(atOffset: 20)
        let rig = try SendspinRig(folder: folder)
        gst_element_set_state(rig.pipeline.raw, GST_STATE_PLAYING)
        #expect(rig.server.wait { $0.last?.goodbye == .pairingRequired })
        #expect(rig.bus.has("warning", "pairings.json", "damaged"))
    }

    @Test func serverThatKnowsWhyItIsNotAdmittedIsAWarningThatStatesWhatToDo() throws {
        var settings = PeerSettings()
        settings.roles = []
        let rig = try SendspinRig(server: try FakeServer(settings), folder: try pairedFolder())
        gst_element_set_state(rig.pipeline.raw, GST_STATE_PLAYING)
        #expect(rig.bus.has("warning", "fake server", "from paired servers only", "unpaired-access=always"))
    }

    @Test func serverWithoutEncryptionIsRefusedUnlessAllowed() throws {
        var settings = PeerSettings()
        (settings.allowsLegacy, settings.allowsEncrypted) = (true, false)
        do {
            let rig = try SendspinRig(server: try FakeServer(settings))
            gst_element_set_state(rig.pipeline.raw, GST_STATE_PLAYING)
            #expect(rig.bus.has("warning", "127.0.0.1"))
            #expect(rig.server.reports.allSatisfy { $0.hello == nil })
        }
        let rig = try SendspinRig(
            SendspinRig.decoding, "allow-unencrypted=true", server: try FakeServer(settings))
        try #require(rig.start())
        rig.server.play(.pcm(), lead: .milliseconds(600))
        #expect(rig.hasBytes(4_800 * 10))
        #expect(rig.rampFault == nil)
        #expect(rig.bus.has("element: sendspin-server", "encrypted=(boolean)false"))
    }

    /// An attacker who closes the encrypted connections must not cause a connection without encryption.
    @Test(arguments: [false, true]) func encryptedServerIsNeverDowngraded(isPaired: Bool) throws {
        let rig = try SendspinRig(
            SendspinRig.decoding, "allow-unencrypted=true", folder: isPaired ? try pairedFolder() : Setup.newFolder())
        if !isPaired { try #require(rig.start()) }
        rig.server.changeSettings { ($0.allowsLegacy, $0.allowsEncrypted) = (true, false) }
        rig.server.loseConnections()
        for count in 1...2 {
            gst_element_set_state(rig.pipeline.raw, GST_STATE_PLAYING)
            #expect(
                eventually {
                    rig.bus.texts("warning").count { $0.contains("allow-unencrypted=true does not apply") } == count
                })
            // Restart the player, so that the next round checks the same after a restart.
            rig.pipeline.go(GST_STATE_NULL)
        }
        #expect(rig.server.reports.allSatisfy { $0.isEncrypted })
    }

    /// Some servers make a new identity at each start.
    @Test func anyIdentityIsAcceptedWithUnpairedAccessAlways() throws {
        let server = try FakeServer()
        let rig = try SendspinRig(SendspinRig.decoding, "unpaired-access=always", server: server)
        try #require(rig.start())
        server.changeSettings { $0.identity = KeyPair.generate() }
        server.loseConnections()
        #expect(server.wait { $0.count { $0.hello != nil } == 2 })
    }

    /// Another machine answers at the address of the server.
    @Test func otherServerAtTheAddressIsRefusedUntilItIsAccepted() throws {
        let folder = Setup.newFolder()
        let server = try FakeServer()
        let rig = try SendspinRig(server: server, folder: folder)
        try #require(rig.start())
        let other = KeyPair.generate()
        server.changeSettings { $0.identity = other }
        server.loseConnections()
        #expect(rig.bus.has("warning", other.publicKey.id, "accept-server"))
        #expect(server.reports.count { $0.hello != nil } == 1)
        let player = rig.pipeline.element()
        #expect(SignalEmission("accept-server", "no identity").emit(on: player) == "false")
        #expect(SignalEmission("accept-server", other.publicKey.id).emit(on: player) == "true")
        #expect(server.wait { $0.count { $0.hello != nil } == 2 })
    }

    @Test func damagedListOfServersAdmitsNoUnpairedServerUntilItIsAccepted() throws {
        let rig = try SendspinRig()
        let file = rig.folder.appending(path: Store.serversName)
        try #require(rig.start())
        rig.pipeline.go(GST_STATE_READY)
        try FileHandle(forWritingTo: file).truncate(atOffset: 20)
        gst_element_set_state(rig.pipeline.raw, GST_STATE_PLAYING)
        #expect(rig.bus.has("warning", "servers.json", "damaged", "Restore it"))
        #expect(rig.bus.has("warning", rig.server.identity.publicKey.id, "cannot be read", "accept-server"))
        #expect(rig.server.reports.count { $0.hello != nil } == 1)
        #expect(try Data(contentsOf: file).count == 20)
        let id = rig.server.identity.publicKey.id
        #expect(SignalEmission("accept-server", id).emit(on: rig.pipeline.element()) == "true")
        #expect(rig.server.wait { $0.count { $0.hello != nil } == 2 })
    }

    @Test func pairingsAreListedAndRemoved() throws {
        let folder = try pairedFolder()
        let rig = try SendspinRig(SendspinRig.decoding, "unpaired-access=always", folder: folder)
        try #require(rig.start())
        let player = rig.pipeline.element()
        let text = try #require(SignalEmission("get-pairing-token").emit(on: player))
        rig.server.pair(try #require(PairingToken(text: text)))
        try #require(rig.server.wait { $0.last?.keyCategory == "lt" && $0.last?.isActive == true })
        let id = rig.server.identity.publicKey.id
        #expect(eventually { SignalEmission("list-pairings").emit(on: player)?.contains(id) == true })
        let list = SignalEmission("list-pairings").emit(on: player) ?? ""
        #expect(list.contains("sendspin-pairings") && list.contains("other"))
        #expect(SignalEmission("remove-pairing", "nobody").emit(on: player) == "false")
        #expect(SignalEmission("remove-pairing", id).emit(on: player) == "true")
        #expect(rig.server.wait { $0.first?.goodbye == .unpaired })
        #expect(SignalEmission("list-pairings").emit(on: player)?.contains(id) == false)
        #expect(try Store(folder: folder.path).loadRecords().value.map(\.name) == ["other"])
    }

    @Test func signalsReturnFalseIfTheFilesCannotBeWritten() throws {
        let folder = try pairedFolder()
        let rig = try SendspinRig(SendspinRig.decoding, "unpaired-access=always", folder: folder)
        try #require(rig.start())
        let lock = folder.appending(path: ".lock")
        try FileManager.default.removeItem(at: lock)
        try FileManager.default.createDirectory(at: lock, withIntermediateDirectories: false)
        let id = try #require(try Store(folder: folder.path).loadRecords().value.first?.server.id)
        let player = rig.pipeline.element()
        #expect(SignalEmission("remove-pairing", id).emit(on: player) == "false")
        #expect(SignalEmission("accept-server", id).emit(on: player) == "false")
        // Each failure posts a warning.
        #expect(eventually { rig.bus.texts("warning").count { $0.contains(".lock\" can not be written") } >= 2 })
        #expect(SignalEmission("list-pairings").emit(on: player)?.contains(id) == true)
        try FileManager.default.removeItem(at: lock)
        #expect(SignalEmission("accept-server", id).emit(on: player) == "true")
        #expect(SignalEmission("remove-pairing", id).emit(on: player) == "true")
    }

    /// Files of older versions contain names as servers have sent them.
    @Test func namesOfPairingsDoNotControlATerminal() throws {
        let folder = Setup.newFolder()
        try Store(folder: folder.path).keep(
            PairingRecord(server: KeyPair.generate().publicKey, key: .generate(), name: "\u{1B}]0;owned\u{7}"))
        let rig = try SendspinRig(folder: folder)
        gst_element_set_state(rig.pipeline.raw, GST_STATE_PAUSED)
        #expect(
            eventually {
                let list = SignalEmission("list-pairings").emit(on: rig.pipeline.element()) ?? ""
                return list.contains("owned") && !list.contains(#"\0"#)
            })
    }

    /// The warning about a server with an unknown protocol names its version and a remedy, or its violation.
    @Test(arguments: [
        (HandshakeFault.absentCategory, ["aiosendspin 7 to 9", "Update the server"]),
        (.invalidFrame, ["violated the protocol: a text message is not UTF-8"]),
    ]) func warningNamesWhatTheServerSent(fault: HandshakeFault, texts: [String]) throws {
        var settings = PeerSettings()
        settings.handshakeFault = fault
        let rig = try SendspinRig(server: try FakeServer(settings))
        gst_element_set_state(rig.pipeline.raw, GST_STATE_PLAYING)
        #expect(eventually { rig.bus.texts("warning").contains { warning in texts.allSatisfy(warning.contains) } })
    }

    /// Servers of aiosendspin 7 to 9 can permit players without encryption.
    @Test func otherEncryptionIsNotUsedIfTheServerPermitsNone() throws {
        var settings = PeerSettings()
        (settings.allowsLegacy, settings.handshakeFault) = (true, .absentCategory)
        let rig = try SendspinRig(SendspinRig.decoding, "allow-unencrypted=true", server: try FakeServer(settings))
        try #require(rig.start())
        #expect(rig.bus.has("element: sendspin-server", "encrypted=(boolean)false"))
    }

    @Test func serverThatAcceptsNeitherDialectIsOneWarning() throws {
        var settings = PeerSettings()
        (settings.allowsLegacy, settings.allowsEncrypted) = (false, false)
        let rig = try SendspinRig(SendspinRig.decoding, "allow-unencrypted=true", server: try FakeServer(settings))
        gst_element_set_state(rig.pipeline.raw, GST_STATE_PLAYING)
        // The warning names the reasons why both kinds of connections fail.
        #expect(
            rig.bus.has("warning", "neither with encryption nor without", "unsupported_version", "require encryption"))
        #expect(eventually { rig.statistic("connection-attempts") >= 4 })
        #expect(rig.bus.texts("warning").count == 1)
    }

    /// All encodings in which a log could contain a key, and the first half of each encoding.
    private func encodings(_ secret: [UInt8]) -> [String] {
        let hexadecimal = secret.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        return [
            hexadecimal, URLSafeBase64.encode(secret), StandardBase64.encode(secret),
            secret.map(String.init).joined(separator: ", "),
        ].flatMap { [$0, String($0.prefix($0.count / 2))] }
    }

    /// The test searches the log of a player that pairs and plays in a separate process.
    @Test func nothingSecretIsInTheLog() throws {
        let (folder, log) = (Setup.newFolder(), Setup.newFolder().appending(path: "log"))
        let run = try SendspinProbe("log", folder.path).run([
            "GST_DEBUG": "9", "GST_DEBUG_NO_COLOR": "1", "GST_DEBUG_FILE": log.path,
        ])
        try #require(run.status == 0, "\(run.output.suffix(2_000))")
        let token = try #require(
            run.output.firstRange(of: "SP:0").map { run.output[$0.lowerBound...].prefix { !$0.isNewline } })
        let store = Store(folder: folder.path)
        let records = try store.loadRecords().value
        let secrets =
            [try store.loadIdentity().secretKey, try store.loadPairingKey().secret] + records.map(\.key.secret)
        #expect(secrets.count == 3)
        let patterns = secrets.flatMap { encodings($0.revealed()) } + [String(token)]
        #expect(try matches(patterns, in: log) == 0)
        // Check that the search finds a text that is in the log.
        #expect(try matches(["sendspinsrc"], in: log) > 10)
    }

    /// Number of lines in the log that contain one of the texts.
    private func matches(_ patterns: [String], in log: URL) throws -> Int {
        let file = Setup.newFolder().appending(path: "patterns")
        try patterns.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
        let run = try ProgramRun("grep", ["-a", "-c", "-i", "-F", "-f", file.path, log.path])
        return try #require(Int(run.output.filter(\.isNumber)))
    }
}
