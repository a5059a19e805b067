/// Names of the element messages that `sendspinsrc` posts for streams.
enum StreamMessages {
    /// A stream of the server has started; data follows.
    static let start = "sendspin-stream-start"
    /// The stream of the server has ended.
    static let end = "sendspin-stream-end"
    /// The next data has another format; with `continues`, without a gap.
    ///
    /// It is posted by the streaming thread. `decodebin` decodes only the codec of its first caps, so it must be replaced
    /// before the handler of the message returns.
    static let format = "sendspin-format"
}
