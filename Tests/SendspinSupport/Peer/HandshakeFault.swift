/// A fault of a fake server in the first handshake.
package enum HandshakeFault: CaseIterable, Sendable {
    /// The server does not answer `client/init`.
    case silence
    /// The server answers with `server/error`.
    case refusal
    /// `server/init` is not JSON.
    case malformedAnswer
    /// `server/init` has version 2.
    case wrongVersion
    /// The `server_id` is not a key.
    case malformedIdentity
    /// The `server_id` is a weak key.
    case weakIdentity
    /// The first handshake message has a changed byte.
    case changedMessage
    /// The first handshake message is too short.
    case shortMessage
    /// The payload of the first handshake message is not JSON.
    case malformedPayload
    /// The first handshake message has an unknown category of key.
    case unknownCategory
    /// The first handshake message has no category of key, as with servers before aiosendspin 10.
    case absentCategory
    /// The server sends a text frame that is not UTF-8 instead of `server/init`.
    case invalidFrame
    /// The server sends a binary message instead of the first handshake message.
    case binaryMessage
    /// The server sends the first handshake message, but nothing after the answer of the client.
    case silenceAfterAnswer
}
