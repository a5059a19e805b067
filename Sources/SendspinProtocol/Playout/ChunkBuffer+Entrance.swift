import Durations

extension ChunkBuffer {
    /// Sets the format of the chunks that are inserted next.
    ///
    /// Chunks in the buffer keep their format. If no chunk uses the last format, the new format replaces it. If
    /// `maxFormats` formats are waiting, all waiting formats and chunks are discarded.
    public mutating func setFormat(_ format: Format) {
        // Formats without chunks must not fill the list, because `maxFormats` formats cause the loss of all chunks.
        if let last = formats.last, last.generation == generation, !hasChunks(of: generation) {
            formats[formats.count - 1].format = format
            return
        }
        generation += 1
        let needed = chunks.isEmpty ? generation : chunks[0].generation
        formats.removeAll { $0.generation < needed }
        if formats.count >= Self.maxFormats {
            clear()
            formats.removeAll()
        }
        formats.append((generation, format))
    }

    /// Inserts a chunk at its place in the timeline.
    ///
    /// A chunk is late if it ends at or before `now`. A chunk of unknown duration is late if it starts before `now`.
    /// `room` is the number of allocated bytes after those of the payload.
    @inlinable public mutating func insert(
        _ payload: Payload, timestamp: Duration, duration: Duration? = nil, bytes: Int, room: Int = 0, now: Duration
    ) -> ChunkAdmission {
        if isSetBack {
            isSetBack = false
            if let lastTimestamp, timestamp < lastTimestamp - Self.tolerance { clear() }
        }
        let chunk = Chunk(
            payload, timestamp, duration.map { max($0, .zero) }, bytes: max(bytes, 0), room: max(room, 0),
            generation: generation)
        guard !isLate(chunk, now: now) else {
            counts.lateAtArrival += 1
            return .late
        }
        if generation != currentGeneration { replaceOlderGenerations(from: timestamp) }
        let index = place(of: timestamp)
        if let conflict = conflict(of: chunk, at: index) {
            if conflict == .duplicate { counts.duplicates += 1 } else { counts.overlaps += 1 }
            return conflict
        }
        // The sum cannot overflow: each term is at most `memoryLimit`, which also limits the number of chunks.
        guard chunk.bytes <= capacity - self.bytes,
            chunk.room <= memoryLimit,
            self.bytes + self.room + chunk.bytes + chunk.room + ((chunks.count + 1) * chunkCost) <= memoryLimit
        else {
            counts.refused += 1
            return .full
        }
        chunks.insert(chunk, at: index)
        self.bytes += chunk.bytes
        self.room += chunk.room
        counts.accepted += 1
        return .accepted
    }

    /// Makes a chunk of `bytes` bytes a part of the last one, if it directly follows it and `append` adds its payload.
    ///
    /// Fewer payloads wake the streaming thread less often.
    @inlinable public mutating func extendLast(
        timestamp: Duration, duration: Duration, bytes: Int, now: Duration, _ append: (Payload) -> Bool
    ) -> Extension {
        guard !chunks.isEmpty, !isSetBack, bytes >= 0, bytes <= capacity - self.bytes else { return .refused }
        var last = chunks[chunks.count - 1]
        let distance = timestamp - last.end
        guard let known = last.duration, duration > .zero, last.generation == generation, !isLate(last, now: now),
            distance <= Self.partTolerance, .zero - distance <= Self.partTolerance
        else { return .refused }
        // Room that no chunk fills must not displace chunks.
        guard bytes <= last.room, append(last.payload) else { return room <= memoryLimit / 4 ? .next : .refused }
        last.duration = known + duration
        last.bytes += bytes
        last.room -= bytes
        last.parts += 1
        chunks[chunks.count - 1] = last
        self.bytes += bytes
        room -= bytes
        counts.accepted += 1
        return .done
    }

    @inlinable func isLate(_ chunk: Chunk, now: Duration) -> Bool {
        chunk.duration == nil ? chunk.timestamp < now : chunk.end <= now
    }

    private func hasChunks(of generation: Int) -> Bool {
        !chunks.isEmpty && chunks[chunks.count - 1].generation == generation
    }

    /// Discards chunks of older formats from `timestamp` on, where the new format starts.
    @usableFromInline mutating func replaceOlderGenerations(from timestamp: Duration) {
        var kept = chunks.count
        // Chunks of the newest format are at the end. If there are any, older chunks were already discarded.
        while kept > 0, chunks[kept - 1].generation == generation { kept -= 1 }
        guard kept == chunks.count else { return }
        while let last = chunks.isEmpty ? nil : chunks[chunks.count - 1],
            last.timestamp + Self.tolerance > timestamp
        {
            _ = chunks.popLast()
            bytes -= last.bytes
            room -= last.room
            counts.replaced += last.parts
        }
        let used = chunks.isEmpty ? currentGeneration : chunks[chunks.count - 1].generation
        formats.removeAll { $0.generation > used && $0.generation < generation }
    }

    /// Index at which a chunk of the newest format with this timestamp must be inserted.
    @inlinable func place(of timestamp: Duration) -> Int {
        var low = 0
        var high = chunks.count
        while low < high {
            let middle = (low + high) / 2
            let other = chunks[middle]
            if other.generation < generation || other.timestamp <= timestamp {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    @inlinable func conflict(of chunk: Chunk, at index: Int) -> ChunkAdmission? {
        if index > 0 {
            let previous = chunks[index - 1]
            if previous.timestamp == chunk.timestamp { return .duplicate }
            if previous.end - Self.tolerance > chunk.timestamp { return .overlapping }
        } else if let returnedEnd, chunk.timestamp < returnedEnd - Self.tolerance {
            return chunk.end <= returnedEnd + Self.tolerance ? .duplicate : .overlapping
        }
        if index < chunks.count, chunk.end - Self.tolerance > chunks[index].timestamp { return .overlapping }
        return nil
    }
}
