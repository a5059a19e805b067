import GStreamer

extension BufferList {
    /// Removes and returns up to `limit` buffers for which `isTaken` returns true, in order; nil if there are none.
    mutating func split(atMost limit: Int = .max, where isTaken: (BufferFacts) -> Bool) -> BufferList? {
        guard var taken = BufferList() else { return nil }
        var index = 0
        while taken.count < limit, let facts = facts(at: index) {
            guard isTaken(facts), let buffer = buffer(at: index) else {
                index += 1
                continue
            }
            taken.append(buffer)
            remove(at: index)
        }
        guard taken.count > 0 else { return nil }
        return taken
    }
}
