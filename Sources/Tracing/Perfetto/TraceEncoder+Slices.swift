extension TraceEncoder {
    /// Writes the slices that were added since the last call.
    ///
    /// They come from all threads and in the order of their ends, so they are sorted first.
    mutating func writeSlices() {
        let sorted = slices.sorted { ($0.time, $0.value) < ($1.time, $1.value) }
        slices = []
        var overlapping: UInt64 = 0
        for slice in sorted where !isFinished {
            guard let sequence = line(for: slice) else {
                overlapping += 1
                continue
            }
            write(slice, on: sequence)
        }
        addLost(overlapping, of: nil, reason: "more than \(SliceLines.most) at once", time: sorted.last?.time ?? 0)
    }

    private mutating func write(_ slice: TraceRecord, on sequence: Int) {
        let end = slice.time &+ slice.value
        var event = TrackEvent(kind: .begin, time: slice.time, name: slice.name)
        event.frame = TraceFrame(word: slice.frame)
        event.isLast = slice.isLast
        let nameID = nameID(slice.name)
        let first = sequences[sequence].packet(event, nameID: nameID)
        let second = sequences[sequence].packet(TrackEvent(kind: .end, time: end), nameID: nil)
        write([first, second])
        lines[slice.name]?.use(sequence, until: end)
    }

    /// The sequence of a line on which the slice overlaps no other.
    private mutating func line(for slice: TraceRecord) -> Int? {
        var known = lines[slice.name] ?? SliceLines()
        if let free = known.sequence(freeAt: slice.time) { return free }
        guard known.hasRoom else { return nil }
        let parent = sequences[0].track
        let sequence = addSequence(from: 0) { descriptor in
            // Tracks with the same name and parent are drawn as one.
            descriptor.field(PerfettoField.Track.name, text: TraceName.text(at: slice.name))
            descriptor.field(PerfettoField.Track.parent, parent)
        }
        known.add(sequence)
        lines[slice.name] = known
        return sequence
    }
}
