/// Names of the element messages that `sendspinsrc` posts for streams.
enum StreamMessages {
    static let start = "sendspin-stream-start"
    static let end = "sendspin-stream-end"
    /// Another format follows; with `continues`, without a gap.
    ///
    /// The streaming thread posts it. `decodebin` decodes only the codec of its first caps, so it must be replaced
    /// before the message handler returns.
    static let format = "sendspin-format"
}
