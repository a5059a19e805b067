extension TraceEncoder {
    /// Maximum number of overlapping slices of a name.
    private static let mostLines = 64

    /// Writes the slices added since the last call in the order of their beginnings; a slice is recorded at its end.
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
        addLost(overlapping, of: nil, reason: "more than \(Self.mostLines) at once", time: sorted.last?.time ?? 0)
    }

    private mutating func write(_ slice: TraceRecord, on sequence: Int) {
        var event = TrackEvent(kind: .begin, time: slice.time, name: slice.name)
        event.frame = TraceFrame(word: slice.frame)
        let end = TrackEvent(kind: .end, time: slice.time &+ slice.value)
        write([packet(event, on: sequence), packet(end, on: sequence)])
    }

    /// Returns the sequence of a line on which the slice overlaps no other slice; nil if all lines are in use.
    private mutating func line(for slice: TraceRecord) -> Int? {
        let end = slice.time &+ slice.value
        if let free = lines[slice.name]?.firstIndex(where: { $0.end <= slice.time }) {
            lines[slice.name]?[free].end = end
            return lines[slice.name]?[free].sequence
        }
        guard (lines[slice.name]?.count ?? 0) < Self.mostLines else { return nil }
        let parent = sequences[0].track
        let sequence = addSequence(from: 0) { descriptor in
            // The viewer draws tracks with the same name and parent as one track.
            descriptor.field(PerfettoField.Track.name, text: TraceName.text(at: slice.name))
            descriptor.field(PerfettoField.Track.parent, parent)
        }
        lines[slice.name, default: []].append((sequence, end))
        return sequence
    }
}
