import CGStreamer

extension ElasticPool {
    /// The name of the element that holds the buffer which has been in use for longest; nil when nobody can tell.
    public func oldestHolder(seenFrom host: ElementHost) -> String? { nil }
}
