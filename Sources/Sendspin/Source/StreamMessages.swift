/// Names of the element messages that `sendspinsrc` posts for streams.
enum StreamMessages {
    static let start = "sendspin-stream-start"
    static let end = "sendspin-stream-end"
    /// Another stream or format follows; if the field `continues` is true, the stream continues without a gap.
    ///
    /// The streaming thread posts this message. `decodebin` decodes only the codec of its first caps, so the handler of
    /// the message must replace it before it returns.
    static let format = "sendspin-format"
}
