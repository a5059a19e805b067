import CGStreamer
import GstTestSupport
import SendspinSecurity
import SendspinSupport
@testable import SendspinProtocol
import Testing

/// Tests the action signals of `sendspinplay`, which are the signals of its source.
@Suite(.serialized) struct PlayerControlTests {
    /// The name, the result and the arguments of each signal that a class declares, and whether it is an action.
    private func signals(of factory: String) -> [String] {
        _ = SendspinSetup.once
        let element = TestElement(factory, factory == "sendspinplay" ? ["audio-sink": "fakesink"] : [:])
        let type = UnsafeMutableRawPointer(element.element).assumingMemoryBound(to: GTypeInstance.self).pointee.g_class
            .pointee.g_type
        var count: guint = 0
        let ids = g_signal_list_ids(type, &count)
        defer { g_free(ids) }
        return (0..<Int(count)).map { index in
            var query = GSignalQuery()
            g_signal_query(ids![index], &query)
            let arguments = (0..<Int(query.n_params)).map { String(cString: g_type_name(query.param_types[$0])) }
            let isAction = query.signal_flags.rawValue & cgst_signal_action().rawValue != 0
            return "\(String(cString: query.signal_name)) \(String(cString: g_type_name(query.return_type))) "
                + "\(arguments) \(isAction)"
        }
    }

    @Test func playerHasTheSignalsOfTheSource() {
        let source = signals(of: "sendspinsrc")
        #expect(source.count == 15)
        #expect(signals(of: "sendspinplay") == source)
    }

    @Test func signalsOfThePlayerAreCommandsForTheGroup() throws {
        let rig = try SendspinRig(playingWith: "")
        try #require(rig.start())
        #expect(rig.emit("next") == false)
        rig.server.offer(ControllerState(commands: Set(ControllerCommandName.allCases), volume: 50, isMuted: false))
        #expect(rig.bus.has("element: sendspin-controller"))
        let emissions = [
            SignalEmission("play"), SignalEmission("next"), SignalEmission("seek", "30000000000"),
            SignalEmission("set-group-volume", "60"), SignalEmission("set-repeat", "one"),
        ]
        for emission in emissions { #expect(emission.emit(on: rig.pipeline.element()) == "true", "\(emission.name)") }
        #expect(
            rig.server.wait {
                $0.last?.commands == [.play, .next, .seek(.seconds(30)), .volume(60), .repeating(.one)]
            })
        #expect(rig.server.violations == [])
    }

    @Test func signalsOfThePlayerConcernThisPlayer() throws {
        let rig = try SendspinRig(playingWith: "")
        try #require(rig.start())
        let player = rig.pipeline.element()
        let token = SignalEmission("get-pairing-token").emit(on: player)
        #expect(token.flatMap { PairingToken(text: $0) } != nil)
        #expect(token == SignalEmission("get-pairing-token").emit(on: rig.pipeline.element("source")))
        SignalEmission("set-player-volume", "25", "true").emit(on: player)
        #expect(rig.server.wait { $0.last?.state?.player?.volume == 25 && $0.last?.state?.player?.isMuted == true })
        // A volume of 25 % is the factor (25 / 100) ^ 1.5, which is 0.125.
        #expect(eventually { abs(player.number("volume") - 0.125) < 0.001 && player.get("mute") == "true" })
    }

    @Test func signalsBeforeTheStartReturnFalse() {
        _ = SendspinSetup.once
        let player = TestElement("sendspinplay", ["audio-sink": "fakesink"])
        #expect(SignalEmission("play").emit(on: player.element) == "false")
        #expect(SignalEmission("get-pairing-token").emit(on: player.element) == "")
    }
}
