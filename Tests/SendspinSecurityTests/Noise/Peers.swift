@testable import SendspinSecurity
import SendspinSupport

/// A server and a client that know each other's public keys.
struct Peers {
    var suite = CipherSuite.chaChaPoly
    let server = KeyPair.generate()
    let client = KeyPair.generate()
    let key = PreSharedKey.generate()

    func initiator() -> HandshakeInitiator {
        HandshakeInitiator(suite: suite, prologue: [], own: server, peer: client.publicKey)
    }

    func responder() -> HandshakeResponder {
        HandshakeResponder(suite: suite, prologue: [], own: client, peer: server.publicKey)
    }

    /// Performs a handshake and returns both ends of the connection.
    func shakeHands(
        first: [UInt8] = [], second: [UInt8] = []
    ) throws -> (server: Transport, client: Transport) {
        var (initiator, responder) = (initiator(), responder())
        guard try responder.readFirst(initiator.writeFirst(first)) == first else { throw NoiseFault.notAuthentic }
        let (message, client) = try responder.writeSecond(second, key: key)
        let (payload, server) = try initiator.readSecond(message, key: key)
        guard payload == second else { throw NoiseFault.notAuthentic }
        return (server, client)
    }
}
