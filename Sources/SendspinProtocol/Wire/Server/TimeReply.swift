import JSON

/// Payload of `server/time`, the answer to `client/time`.
public struct TimeReply: Equatable, Sendable {
    /// Time of the client, copied from its message.
    public var clientTransmitted: Duration
    /// Time of the server at which it received the message.
    public var serverReceived: Duration
    /// Time of the server at which it transmitted the answer.
    public var serverTransmitted: Duration

    /// A reply of its parts.
    public init(clientTransmitted: Duration, serverReceived: Duration, serverTransmitted: Duration) {
        self.clientTransmitted = clientTransmitted
        self.serverReceived = serverReceived
        self.serverTransmitted = serverTransmitted
    }
}

extension TimeReply {
    var json: JSONObject {
        var payload = JSONObject()
        payload.add("client_transmitted", microseconds: clientTransmitted)
        payload.add("server_received", microseconds: serverReceived)
        payload.add("server_transmitted", microseconds: serverTransmitted)
        return payload
    }

    init(_ reader: FieldReader) throws(WireFault) {
        clientTransmitted = try reader.time("client_transmitted")
        serverReceived = try reader.time("server_received")
        serverTransmitted = try reader.time("server_transmitted")
    }
}
