/// Names of the element messages that `sendspinsrc` posts for streams.
enum StreamMessages {
    /// A stream of the server has started; data follows.
    static let start = "sendspin-stream-start"
    /// The stream of the server has ended.
    static let end = "sendspin-stream-end"
    /// The stream continues in another codec: the decoder must be replaced before the handler of the message returns.
    static let codec = "sendspin-codec"
}
