import JSON
@testable import SendspinProtocol
import SendspinSupport
import Testing

@Suite struct MessageTests {
    private func value(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

    @Test(arguments: Samples.client) func clientMessageSurvivesItsText(message: ClientMessage) throws {
        let text = message.json().bytes
        #expect(try ClientMessage(parsing: try JSONValue(parsing: text)) == message)
    }

    @Test(arguments: Samples.legacyClient) func legacyClientMessageSurvivesItsText(message: ClientMessage) throws {
        let text = message.json(.legacy).bytes
        #expect(try ClientMessage(parsing: try JSONValue(parsing: text)) == message)
    }

    @Test(arguments: Samples.server) func serverMessageSurvivesItsText(message: ServerMessage) throws {
        let text = message.json.bytes
        #expect(try ServerMessage(parsing: try JSONValue(parsing: text)) == message)
    }

    @Test func descriptionsContainNoKey() {
        #expect("\(ClientMessage.pairingKey("secret"))" == "client/pair-finalize")
    }

    @Test func helloHasTheFieldsOfItsDialectOnly() throws {
        let hello = ClientHello(
            name: "N", roles: [.player], formats: [Samples.flac], bufferCapacity: 5, isUnpairedAccessEnabled: true)
        let format = #"{"codec":"flac","channels":2,"sample_rate":48000,"bit_depth":16}"#
        #expect(
            ClientMessage.hello(hello).json().text()
                == #"{"type":"client/hello","payload":{"name":"N","supported_roles":["player@v1"],"player@v1_support":"#
                + #"{"supported_formats":["# + format + #"],"buffer_capacity":5},"#
                + #""supported_pair_methods":{"pairing_psk":{}},"unpaired_access":{"enabled":true}}}"#)
        var legacy = hello
        legacy.legacy = LegacyHello(clientID: "c", commands: [.volume])
        #expect(
            ClientMessage.hello(legacy).json(.legacy).text()
                == #"{"type":"client/hello","payload":{"client_id":"c","version":1,"name":"N","#
                + #""supported_roles":["player@v1"],"player@v1_support":{"supported_formats":["# + format
                + #"],"buffer_capacity":5,"supported_commands":["volume"]}}}"#)
    }

    @Test func stateHasTheFieldsOfItsDialectOnly() {
        let state = ClientMessage.state(
            ClientState(isAvailable: true, player: PlayerReport(volume: 5, isMuted: false, commands: [.volume, .mute])))
        #expect(
            state.json(.legacy).text()
                == #"{"type":"client/state","payload":{"state":"synchronized","player":{"volume":5,"muted":false}}}"#)
        #expect(
            state.json().text()
                == #"{"type":"client/state","payload":{"available":true,"player":{"volume":5,"muted":false,"#
                + #""output_delay_ms":0,"required_lead_time_ms":0,"min_buffer_ms":0,"#
                + #""supported_commands":["volume","mute"]}}}"#)
    }

    @Test func visualizerIsRequestedWithItsSpectrumOnly() {
        func text(_ kinds: [VisualizerKind]) -> String {
            let request = VisualizerRequest(kinds: kinds, rate: 20, bandCount: 8)
            return ClientMessage.state(ClientState(isAvailable: true, visualizer: request)).json().text()
        }
        let start = #"{"type":"client/state","payload":{"available":true,"visualizer":{"types":["#
        #expect(text([.loudness, .frequencyPeak]) == start + #""loudness","f_peak"],"rate_max":20}}}"#)
        #expect(
            text([.spectrum]) == start + #""spectrum"],"rate_max":20,"spectrum":{"n_disp_bins":8,"scale":"mel","#
                + #""f_min":40,"f_max":16000}}}}"#)
        let hello = ClientHello(name: "N", roles: [.visualizer, .color], formats: [], bufferCapacity: 5)
        #expect(
            ClientMessage.hello(hello).json().text()
                == #"{"type":"client/hello","payload":{"name":"N","supported_roles":["visualizer@v1","color@v1"],"#
                + #""supported_pair_methods":{"pairing_psk":{}},"unpaired_access":{"enabled":false},"#
                + #""visualizer@v1_support":{"buffer_capacity":32768}}}"#)
    }

    @Test func unknownTypesAndKeysAreIgnored() throws {
        #expect(try ServerMessage(parsing: try value(#"{"type":"server/dance","payload":{"x":1}}"#)) == nil)
        #expect(
            try ServerMessage(parsing: try value(#"{"payload":{"_x":[]},"type":"server/unpair","y":2}"#)) == .unpair)
        #expect(try ServerMessage(parsing: try value(#"{"type":"server/unpair"}"#)) == .unpair)
        let update = GroupUpdate(playback: nil, groupID: "g", groupName: nil)
        #expect(
            try ServerMessage(
                parsing: try value(#"{"type":"group/update","payload":{"playback_state":"dancing","group_id":"g"}}"#))
                == .group(update))
    }

    @Test(arguments: [
        (#"[]"#, WireFault.notAMessage), (#"{"type":1}"#, .notAMessage), (#"{"payload":{}}"#, .notAMessage),
        (#"{"type":"server/time","payload":[]}"#, .wrongType(field: "payload", expected: "an object")),
        (#"{"type":"server/time","payload":{"client_transmitted":1}}"#, .missing(field: "server_received")),
        (
            #"{"type":"server/time","payload":{"client_transmitted":"1"}}"#,
            .wrongType(field: "client_transmitted", expected: "an integer")
        ),
        (
            #"{"type":"server/time","payload":{"client_transmitted":1.5}}"#,
            .outOfRange(field: "client_transmitted", value: "1.5")
        ),
        (
            #"{"type":"stream/start","payload":{"player":{"codec":"mp3"}}}"#,
            .unknownValue(field: "player.codec", value: "mp3")
        ),
        (
            #"{"type":"stream/start","payload":{"player":{"codec":"pcm","channels":0}}}"#,
            .outOfRange(field: "player.channels", value: "0")
        ),
        (
            #"{"type":"stream/start","payload":{"player":{"codec":"flac","channels":2,"sample_rate":1,"bit_depth":16,"codec_header":"?"}}}"#,
            .wrongType(field: "player.codec_header", expected: "base64")
        ),
        (
            #"{"type":"stream/start","payload":{"artwork":{"channels":[{"source":"none"},{"source":"none"},{"source":"none"},{"source":"none"},{"source":"none"}]}}}"#,
            .outOfRange(field: "artwork.channels", value: "5 elements")
        ),
        (
            #"{"type":"stream/start","payload":{"artwork":{"channels":[{"source":5}]}}}"#,
            .wrongType(field: "artwork.channels[0].source", expected: "a string")
        ),
        (
            #"{"type":"server/command","payload":{"player":{"command":"volume","volume":101}}}"#,
            .outOfRange(field: "player.volume", value: "101")
        ),
        (#"{"type":"server/command","payload":{"player":{"command":"mute"}}}"#, .missing(field: "player.mute")),
        (
            #"{"type":"server/state","payload":{"metadata":{"timestamp":1,"year":-1}}}"#,
            .outOfRange(field: "metadata.year", value: "-1")
        ),
        (
            #"{"type":"server/activate","payload":{"activities":[1]}}"#,
            .wrongType(field: "activities", expected: "an array of strings")
        ),
    ]) func faultNamesTheField(text: String, fault: WireFault) throws {
        let value = try value(text)
        #expect(throws: fault) { try ServerMessage(parsing: value) }
    }

    @Test func faultDescriptionsAreShort() {
        let fault = WireFault.unknownValue(field: "codec", value: String(repeating: "é", count: 10_000))
        #expect(fault.description.unicodeScalars.count < 100)
    }

    @Test func outputDelayIsClamped() throws {
        let text =
            #"{"type":"server/command","payload":{"player":{"command":"set_output_delay","output_delay_ms":9000}}}"#
        #expect(try ServerMessage(parsing: try value(text)) == .command(.outputDelay(.seconds(5))))
    }

    @Test func unknownCommandIsNotAFault() throws {
        let text = #"{"type":"server/command","payload":{"player":{"command":"explode"}}}"#
        #expect(try ServerMessage(parsing: try value(text)) == .command(nil))
    }

    @Test(arguments: ["7", #""start""#, "[]", #"{"command":7}"#, #"{"command":[]}"#])
    func faultOfASourceCommandDoesNotAffectThePlayer(source: String) throws {
        let text =
            #"{"type":"server/command","payload":{"player":{"command":"volume","volume":5},"source":\#(source)}}"#
        #expect(try ServerMessage(parsing: try value(text)) == .command(.volume(5)))
    }

    @Test(arguments: ["7", #""flac""#, "[]", #"{"supported_codecs":7}"#, #"{"supported_codecs":[7]}"#])
    func faultOfTheSourceSupportDoesNotAffectTheHello(support: String) throws {
        let text = #"{"type":"server/hello","payload":{"name":"N","source@v1_support":\#(support)}}"#
        #expect(try ServerMessage(parsing: try value(text)) == .hello(ServerHello(name: "N")))
    }

    @Test func omittedMetadataOfLegacyServersIsKept() throws {
        let text = #"{"type":"server/state","payload":{"metadata":{"timestamp":9,"title":"new","album":null}}}"#
        guard case .state(let state) = try ServerMessage(parsing: try value(text), updating: Samples.metadata) else {
            Issue.record("no state")
            return
        }
        #expect(state.metadata?.title == "new")
        #expect(state.metadata?.artist == "Ä")
        #expect(state.metadata?.album == nil)
        #expect(state.metadata?.progress?.speed == 0)
        guard case .state(let alone) = try ServerMessage(parsing: try value(text)) else { return }
        #expect(alone.metadata?.artist == nil)
    }
}
