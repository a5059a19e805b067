import Durations
import SendspinSecurity
import SendspinSupport
@testable import SendspinProtocol

/// State of a session in which a fuzz test sends messages.
enum FuzzState: String, CaseIterable {
    case awaitingIdentity, awaitingHandshake, awaitingHello, awaitingActivation, active, playing, image, renewed,
        pairing
    case provisional, legacyHello, legacyPlaying, lights, code

    /// Creates a session in this state, with a server.
    func rig() throws -> SessionRig {
        let rig: SessionRig
        switch self {
        case .awaitingIdentity, .awaitingHandshake:
            rig = SessionRig()
            let actions = rig.session.start(at: rig.now)
            guard self == .awaitingHandshake, case .send(.text(let text)) = actions.first else { break }
            let (_, replies) = try rig.peer.receive(.text(text))
            guard case .text(let identity) = replies[0] else { break }
            _ = rig.session.receive(.text(identity), at: rig.now)
        case .awaitingHello:
            rig = SessionRig()
            try rig.play("connect")
        case .awaitingActivation:
            rig = SessionRig()
            try rig.play("connect hello")
        case .active:
            rig = SessionRig()
            try rig.play("open")
        case .playing:
            rig = SessionRig(key: .generate(), category: "lt")
            try rig.play("playing chunk")
        case .image:
            rig = SessionRig()
            try rig.play("open sync")
            try rig.send(.streamStart(StreamStart(artwork: [.off])))
            try rig.send(binary: ArtworkMessage.announcement(channel: 0, timestamp: .seconds(1), size: 5000).bytes)
        case .renewed:
            rig = SessionRig()
            try rig.play("playing rekey")
        case .pairing:
            rig = SessionRig(key: .generate(), category: "pr")
            try rig.play("connect hello activate:pairing")
        case .provisional:
            rig = SessionRig { $0.isServerInitiated = true }
            try rig.play("open")
        case .legacyHello:
            rig = SessionRig { $0.dialect = .legacy }
            try rig.play("connect")
        case .legacyPlaying:
            rig = SessionRig { $0.dialect = .legacy }
            let admission = LegacyAdmission(serverID: "s", roles: SessionRig.allRoles, isForPlayback: true)
            try rig.play("connect")
            try rig.send(.hello(ServerHello(name: "Old", legacy: admission)))
            try rig.play("sync start")
        case .code:
            rig = SessionRig { $0.codeFormats = [.digits] }
            try rig.play("connect hello activate:digits")
            try rig.send(.pairingRound(nonce: String(repeating: "A", count: 43)))
        case .lights:
            rig = SessionRig()
            try rig.play("open sync light frame:900")
        }
        return rig
    }
}

extension Session {
    /// Whether the session stores only a limited amount of data, such as images, reported types and actions.
    var isBounded: Bool {
        images.byteCount <= configuration.limits.imageSize && visualizer.byteCount <= VisualizerRequest.bufferCapacity
            && reportedTypes.count <= 32 && actions.isEmpty
            && roleNames.count <= configuration.limits.textSize && credentials.records.count <= 1
    }
}
