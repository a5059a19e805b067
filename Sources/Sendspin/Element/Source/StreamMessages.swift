/// Names of the element messages that `sendspinsrc` posts for streams.
enum StreamMessages {
    /// A stream of the server has started; data follows.
    static let start = "sendspin-stream-start"
    /// The stream of the server has ended.
    static let end = "sendspin-stream-end"
}
