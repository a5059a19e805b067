extension PipelineBook {
    /// Sum of the counts of all sinks of a pipeline; the sum never falls when sinks are removed.
    struct SinkSum: Sendable {
        /// Sinks of the last readings, and the age that the pipeline had before each sink was added.
        private var present: [Int: (counts: ElementCounts, absence: Duration)] = [:]
        private var gone: ElementCounts?
        private var quiet = Duration.zero
        private var lastAge = Duration.zero

        /// Adds the readings of a pipeline of this age; returns nil before the first sink.
        mutating func tick(_ readings: [ElementReading], age: Duration) -> ElementCounts? {
            let sinks = readings.filter(\.isSink)
            let known = Set(sinks.map(\.id))
            for (id, sink) in present where !known.contains(id) {
                gone = Self.sum([gone, sink.counts])
                present[id] = nil
            }
            for sink in sinks {
                present[sink.id] = (sink.counts, present[sink.id]?.absence ?? lastAge)
            }
            lastAge = age
            guard var sum = Self.sum([gone] + present.values.map(\.counts)) else { return nil }
            // The pipeline is quiet while all of its sinks are quiet; a sink counts as quiet until it is added.
            quiet = max(quiet, present.values.map { $0.counts.quiet + $0.absence }.min() ?? age)
            sum.quiet = quiet
            return sum
        }

        private static func sum(_ parts: [ElementCounts?]) -> ElementCounts? {
            let parts = parts.compactMap { $0?.entered }
            return parts.isEmpty ? nil : ElementCounts.sum(parts)
        }
    }
}
