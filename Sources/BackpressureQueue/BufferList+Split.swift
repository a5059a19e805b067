import GStreamer

extension BufferList {
    /// Removes and returns the first `count` buffers; nil if `count` is 0 or covers the whole list.
    mutating func splitFirst(_ count: Int) -> BufferList? {
        guard count > 0, count < self.count, var first = BufferList() else { return nil }
        for index in 0..<count {
            if let buffer = buffer(at: index) { first.append(buffer) }
        }
        remove(at: 0, count: count)
        return first
    }

    /// Removes and returns the buffers for which `isWanted` returns false, in order; nil if there are none.
    mutating func splitUnwanted(_ isWanted: (BufferFacts) -> Bool) -> BufferList? {
        guard var unwanted = BufferList() else { return nil }
        var index = 0
        while let facts = facts(at: index) {
            guard !isWanted(facts), let buffer = buffer(at: index) else {
                index += 1
                continue
            }
            unwanted.append(buffer)
            remove(at: index)
        }
        guard unwanted.count > 0 else { return nil }
        return unwanted
    }
}
