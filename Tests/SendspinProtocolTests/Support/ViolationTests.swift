import SendspinSecurity
import SendspinSupport
import SendspinProtocol
import Testing
import WebSocket

/// Tests that the server reports violations of the protocol, with a client that violates it.
@Suite struct ViolationTests {
    /// Runs a client and returns the violations that the server reports.
    private func violations(
        _ settings: PeerSettings = PeerSettings(), dialect: Dialect = .encrypted, joins: Bool = true,
        _ body: (FakeClient) throws -> Void
    ) throws -> [String] {
        let server = try FakeServer(settings)
        let client = try FakeClient(server, dialect: dialect)
        if joins { try client.join() }
        try body(client)
        #expect(server.wait(.seconds(10)) { $0.contains { !$0.violations.isEmpty } })
        client.close()
        #expect(server.wait { $0.allSatisfy { $0.closure != nil } })
        return server.violations
    }

    static let wrongMessages: [(String, String)] = [
        (#"{"type":"client/time","payload":{"client_transmitted":1}}"#, "client_transmitted did not increase"),
        (#"{"type":"client/leave","payload":{"x":1}}"#, "client/leave has the undefined field x"),
        (#"{"type":"client/leave"}"#, "client/leave has no payload"),
        (
            #"{"type":"client/leave","payload":{},"extra":1}"#,
            "client/leave has the undefined field extra beside its payload"
        ),
        (#"{"type":"client/other","payload":{}}"#, "the client sent a message of an unknown type"),
        (#"{"type":"noise/handshake","payload":{"data":""}}"#, "the client sent noise/handshake without a handshake"),
        (
            #"{"type":"client/pair-init","payload":{"pairing_index":1}}"#,
            "the client sent client/pair-init without an activation"
        ),
        (
            #"{"type":"client/pair-finalize","payload":{"long_term_psk":""}}"#,
            "the client sent client/pair-finalize without client/pair-init"
        ),
        (
            #"{"type":"client/command","payload":{"controller":{"command":"play"}}}"#,
            "the client sent a command without the controller role"
        ),
        (
            #"{"type":"client/state","payload":{"available":true}}"#,
            "client/state must have a player exactly if the role is active"
        ),
        (
            #"{"type":"client/state","payload":{"available":true,"player":{"output_delay_ms":0,"required_lead_time_ms":0,"supported_commands":[]}}}"#,
            "client/state.player lacks min_buffer_ms"
        ),
        (
            #"{"type":"client/state","payload":{"available":true,"player":{"volume":null,"output_delay_ms":0,"required_lead_time_ms":0,"min_buffer_ms":0,"supported_commands":[]}}}"#,
            "client/state.player.volume is null"
        ),
        (
            #"{"type":"client/state","payload":{"available":true,"player":{"output_delay_ms":0,"required_lead_time_ms":0,"min_buffer_ms":0,"supported_commands":["volume"]}}}"#,
            "client/state must have a volume exactly if the command volume is supported"
        ),
        (
            #"{"type":"client/state","payload":{"available":true,"player":{"output_delay_ms":0,"required_lead_time_ms":0,"min_buffer_ms":0,"supported_commands":[],"format":{"codec":"opus","channels":2,"sample_rate":48000,"bit_depth":16}}}}"#,
            "was not offered"
        ),
    ]

    @Test(arguments: wrongMessages)
    func wrongMessageIsReported(_ text: String, _ violation: String) throws {
        let found = try violations { $0.send(json: Array(text.utf8)) }
        #expect(found.contains { $0.contains(violation) }, "\(found)")
    }

    @Test func malformedTextIsReported() throws {
        for text in ["", "{", "[]", #"{"type":5}"#, #"{"type":"client/goodbye","payload":{"reason":"x"}}"#] {
            let found = try violations { $0.send(json: Array(text.utf8)) }
            #expect(found.count == 1 && found[0].hasPrefix("the client sent a malformed message"), "\(found)")
        }
    }

    @Test func secondHelloIsReported() throws {
        let found = try violations { $0.send(.hello(.player())) }
        #expect(found == ["the client sent client/hello a second time"])
    }

    @Test func textAfterTheHandshakeIsReported() throws {
        let found = try violations { $0.sendRaw(.text(Array(#"{"type":"client/leave","payload":{}}"#.utf8))) }
        #expect(found == ["the client sent a text message after the handshake"])
    }

    @Test func forgedMessageEndsTheConnection() throws {
        let found = try violations { client in
            client.sendRaw(.binary([UInt8](repeating: 1, count: 40)))
            #expect(client.receive { $0.closure != nil })
        }
        #expect(found == ["a message of the client is not authentic"])
    }

    @Test func binaryMessageOfThePlayerIsReported() throws {
        let found = try violations { $0.send(plaintext: [4] + [UInt8](repeating: 0, count: 20)) }
        #expect(found == ["the client sent a binary message of type 4"])
    }

    @Test func wrongFragmentIsReported() throws {
        let found = try violations { $0.send(plaintext: [1, 0, 5]) }
        #expect(found.count == 1 && found[0].hasPrefix("the client sent wrong fragments"))
    }

    @Test func messageAfterGoodbyeIsReported() throws {
        let found = try violations { client in
            client.send(.goodbye(.shutdown))
            client.send(.leave)
        }
        #expect(found == ["the client sent a message after its goodbye"])
    }

    @Test func floodIsReported() throws {
        let found = try violations { client in for _ in 0..<1_000 { client.send(.leave) } }
        #expect(found.contains("the client sent more than 200 messages in a second"))
    }

    @Test func messageBeforeTheActivationIsReported() throws {
        var settings = PeerSettings()
        settings.activationDelay = .milliseconds(300)
        let found = try violations(settings, joins: false) { client in
            // `open` waits for the activation, so send the early message together with the hello.
            try client.openEagerly(.time(.seconds(1)))
        }
        #expect(found == ["the client sent client/time before server/activate"])
    }

    @Test func missingStateIsReported() throws {
        var settings = PeerSettings()
        settings.stateTime = .milliseconds(100)
        let found = try violations(settings, joins: false) { try $0.open() }
        #expect(found == ["the client sent no client/state after server/activate in time"])
    }

    @Test func availabilityBeforeTheClockIsReported() throws {
        let found = try violations(joins: false) { client in
            try client.open()
            client.send(.state(.ready))
        }
        #expect(found == ["the client is available before its clock is synchronized"])
    }

    @Test func opusAloneIsReported() throws {
        let opus = AudioFormat(codec: .opus, channels: 2, sampleRate: 48_000, bitDepth: 16)
        let found = try violations(joins: false) { try $0.open(.player([opus, opus])) }
        #expect(found == ["client/hello offers neither FLAC nor PCM", "client/hello repeats a format"])
    }

    @Test func unencryptedClientIsRefusedByDefault() throws {
        let found = try violations(dialect: .legacy, joins: false) { client in
            client.send(.hello(.player()))
            #expect(client.receive { $0.closure != nil })
        }
        #expect(found == ["the client connected without encryption"])
    }

    @Test func wrongFirstMessageIsRefused() throws {
        let id = KeyPair.generate().publicKey.id
        for text in [
            "{", #"{"type":"client/time","payload":{"client_transmitted":1}}"#,
            #"{"type":"client/init","payload":{"client_id":"\#(id)","version":2,"suite":"25519_ChaChaPoly_SHA256"}}"#,
            #"{"type":"client/init","payload":{"client_id":"\#(id)A","version":1,"suite":"25519_ChaChaPoly_SHA256"}}"#,
        ] {
            let found = try violations(joins: false) { client in
                client.sendRaw(.text(Array(text.utf8)))
                #expect(client.receive { $0.closure != nil })
                #expect(client.messages == [.error(reason: "malformed")])
            }
            #expect(!found.isEmpty)
        }
    }
}
