import Durations

extension ChunkBuffer {
    /// Returns the next step at `now`.
    ///
    /// A chunk is due `lead` before its timestamp; `lead` is at least the latency downstream. A late chunk is
    /// discarded. A format is returned directly before its first chunk, so that no decoder runs before there is data.
    @inlinable public mutating func next(at now: Duration) -> Next {
        while !chunks.isEmpty {
            let first = chunks[0]
            if isLate(first, now: now) {
                counts.lateInBuffer += removeFirst().parts
                continue
            }
            if let position, reportsGaps, first.timestamp > position + Self.tolerance {
                guard now >= position - lead else { return .wait(until: position - lead) }
                self.position = first.timestamp
                counts.gaps += 1
                counts.gapTime += first.timestamp - position
                return .gap(from: position, to: first.timestamp)
            }
            guard now >= first.timestamp - lead else { return .wait(until: first.timestamp - lead) }
            if first.generation != currentGeneration, let format = takeFormat(of: first) { return .format(format) }
            returnedParts = removeFirst().parts
            (position, returnedEnd) = (first.end, first.end)
            reportsGaps = first.duration != nil
            counts.returned += returnedParts
            return .chunk(first)
        }
        return .wait(until: nil)
    }

    @usableFromInline mutating func takeFormat(of chunk: Chunk) -> Format? {
        currentGeneration = chunk.generation
        var format: Format?
        while let first = formats.first, first.generation <= chunk.generation {
            format = first.format
            formats.removeFirst()
        }
        return format
    }

    @inlinable mutating func removeFirst() -> Chunk {
        let first = chunks.popFirst()!
        bytes -= first.bytes
        room -= first.room
        return first
    }
}
