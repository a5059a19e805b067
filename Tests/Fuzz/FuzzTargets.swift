import AnalogVideoModel
import CGStreamer
import JSON
import MachineState
import SendspinProtocol
import Sockets
import ThermalPolicy
import WebSocket

@testable import MonitorPolicy
@testable import MonitorServer
@testable import ThermalCaps

/// Functions that read bytes of a peer, a file or a user, and require claims that must be true for all inputs.
///
/// The folders of `Seeds` have the names of the targets.
enum FuzzTargets {
    static let all: [String: @Sendable ([UInt8]) -> Void] = [
        "caps": caps, "flac": flac, "http": http, "json": json, "preset": preset, "session": FuzzSession.run,
        "targets": targets, "trace": FuzzTrace.run, "websocket": webSocket,
    ]

    /// Reads frames that arrive at a client or a server.
    @Sendable private static func webSocket(_ input: [UInt8]) {
        guard input.count > 2 else { return }
        let role: WebSocketRole = input[0] & 1 == 0 ? .client : .server
        let whole = received(input[2...], in: input.count, at: role)
        require(received(input[2...], in: 1 + Int(input[1] & 63), at: role) == whole, "pieces have the same result")
    }

    private struct Received: Equatable {
        var messages: [WebSocketMessage] = []
        var closure: WebSocketClosure?
    }

    private static func received(_ bytes: ArraySlice<UInt8>, in size: Int, at role: WebSocketRole) -> Received {
        var limits = WebSocketLimits()
        limits.messageBytes = 2048
        var endpoint = WebSocketEndpoint(role: role, limits: limits, at: .zero) { 0x1234_5678 }
        var result = Received()
        var rest = bytes
        while !rest.isEmpty {
            var piece = rest.prefix(size)
            rest = rest.dropFirst(size)
            while let message = endpoint.receive(&piece, at: .zero) { result.messages.append(message) }
        }
        require(result.messages.allSatisfy { $0.bytes.count <= limits.messageBytes }, "a message is within its limit")
        endpoint.peerEnded()
        result.closure = endpoint.closure
        return result
    }

    /// Reads a head of one of three kinds: a request or a response for a WebSocket, or a request for a page.
    @Sendable private static func http(_ input: [UInt8]) {
        guard let kind = input.first else { return }
        let bytes = Array(input.dropFirst())
        if kind % 3 == 2 { return page(bytes) }
        var rest = bytes[...]
        var reader = HTTPHeadReader()
        do throws(UpgradeFault) {
            guard let head = try Self.next(&reader, &rest) else { return }
            if kind % 3 == 1 { return try UpgradeResponse.check(head, accept: "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") }
            let request = try UpgradeRequest(head)
            try request.check(path: "/sendspin")
            guard let same = UpgradeRequest(authority: request.authority, path: request.path, key: request.key) else {
                return
            }
            rest = same.bytes[...]
            reader = HTTPHeadReader()
            guard let head = try Self.next(&reader, &rest) else { return require(false, "a request is complete") }
            require(try UpgradeRequest(head) == same, "a request is read as it was written")
        } catch {
            let isPrintable = { (byte: UInt8) in (0x20...0x7E).contains(byte) || byte == 0x0A || byte == 0x0D }
            require(UpgradeResponse.refusal(error).allSatisfy(isPrintable), "a refusal is printable")
        }
    }

    private static func next(
        _ reader: inout HTTPHeadReader, _ rest: inout ArraySlice<UInt8>
    ) throws(UpgradeFault) -> HTTPHead? {
        do throws(HTTPHead.Fault) { return try reader.next(&rest) } catch { throw UpgradeFault(error) }
    }

    private static func page(_ bytes: [UInt8]) {
        var (reader, rest) = (HTTPHeadReader(), bytes[...])
        let head = try? reader.next(&rest)
        var pieces = HTTPHeadReader()
        var last: HTTPHead?
        for byte in bytes where last == nil {
            var piece: ArraySlice<UInt8> = [byte]
            do { last = try pieces.next(&piece) } catch { break }
        }
        require(last == head, "pieces have the same result")
        guard let head, let request = try? HTTPRequest(head) else { return }
        require(request.path.utf8.first == UInt8(ascii: "/"), "a path begins with a slash")
        guard let host = request.host,
            HTTPHost(address: ServerAddress(port: 1), machineName: "box").allows(host)
        else { return }
        let local = ["localhost", "127.0.0.1", "[::1]", "[127.0.0.1]"]
        let isLocal = local.contains { name in
            let port = host.utf8.dropFirst(name.utf8.count)
            return host.hasPrefix(name)
                && (port.isEmpty
                    || port.first == UInt8(ascii: ":") && port.dropFirst().allSatisfy { (0x30...0x39).contains($0) })
        }
        require(isLocal, "\(host) is a name of this machine")
    }

    /// Reads texts in JSON.
    @Sendable private static func json(_ input: [UInt8]) {
        guard let value = try? JSONValue(parsing: input) else { return }
        for layout in [JSONLayout.compact, .pretty] {
            let again = try? JSONValue(parsing: Array(value.text(layout).utf8))
            require(again == value, "a value is read as it was written")
        }
    }

    /// Reads FLAC frames and Opus packets.
    @Sendable private static func flac(_ input: [UInt8]) {
        let frames = FLACFrames.samples(in: input[...])
        require(frames.map { (1...(1 << 24)).contains($0) } ?? true, "\(frames ?? 0) samples are within the limit")
        let packet = OpusPacket.samples(in: input[...])
        require(packet.map { (1...5760).contains($0) } ?? true, "\(packet ?? 0) samples are those of a packet")
    }

    /// Reads preset files of ntsc-rs and of ntscQT.
    @Sendable private static func preset(_ input: [UInt8]) {
        do throws(PresetError) {
            let preset = try Preset(json: input)
            let again = try? Preset(json: Array(preset.settings.presetJSON.utf8))
            require(again?.settings == preset.settings, "settings are read as they were written")
            require(preset.unknownKeyList.utf8.count < 8192, "a list of keys is short")
        } catch {
            require(error.description.utf8.count < 1024, "an error is short")
        }
    }

    /// Reads caps of a user for `thermalcaps`; GStreamer's parser receives only caps that `CapsText` has checked.
    @Sendable private static func caps(_ input: [UInt8]) {
        _ = isGStreamerReady
        let text = String(decoding: input, as: UTF8.self)
        _ = try? QualityLimits(answer: text, at: .serious, own: .unlimited)
        guard let ladder = try? QualityLimits.ladder(text) else { return }
        var rules = LadderRules()
        rules.custom = ladder
        let video = VideoCaps(width: 1920, height: 1080, rate: FrameRate(30, 1))
        for rung in QualityLadder(for: video, rules).rungs {
            let fitted = rung.limits.fit(video)
            require((2...1920).contains(fitted.width) && (2...1080).contains(fitted.height), "a picture is no larger")
        }
    }

    /// Initializes GStreamer without plugins, because only the parser of caps is used.
    private static let isGStreamerReady: Bool = {
        setenv("GST_REGISTRY_DISABLE", "yes", 1)
        gst_init(nil, nil)
        return true
    }()

    /// Reads texts of users for `perfmonitor`: targets, files of targets, parameters of the tracer, and addresses.
    @Sendable private static func targets(_ input: [UInt8]) {
        guard let kind = input.first else { return }
        let bytes = Array(input.dropFirst())
        let text = String(decoding: bytes, as: UTF8.self)
        var found: Targets?
        switch kind % 5 {
        case 0: found = try? Targets(text: text)
        case 1: found = try? Targets(file: bytes)
        case 2: require(TracerParameters(text).pairs.allSatisfy { !$0.name.isEmpty }, "a parameter has a name")
        case 3: _ = GlobPatterns(text).unmatched(by: [text, "x86_pkg_temp"])
        default:
            if let address = ServerAddress(text) {
                require(ServerAddress(address.description) == address, "an address is read as it was written")
            }
            _ = HTTPHost.names(in: text)
        }
        for target in found?.targets ?? [] {
            require((1...255).contains(target.name.utf8.count), "a target has a name")
        }
    }
}
