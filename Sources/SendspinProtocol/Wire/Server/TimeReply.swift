import JSON

/// Payload of `server/time`, the reply to `client/time`.
public struct TimeReply: Equatable, Sendable {
    /// Client time of the request, copied by the server.
    public var clientTransmitted: Duration
    /// Server time at which the request was received.
    public var serverReceived: Duration
    /// Server time at which the reply was transmitted.
    public var serverTransmitted: Duration
}

extension TimeReply {
    init(_ reader: FieldReader) throws(WireFault) {
        clientTransmitted = try reader.time("client_transmitted")
        serverReceived = try reader.time("server_received")
        serverTransmitted = try reader.time("server_transmitted")
    }
}
