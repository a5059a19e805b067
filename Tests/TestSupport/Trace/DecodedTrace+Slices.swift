extension DecodedTrace {
    /// A slice, which is a begin event and its end event.
    struct Slice: Equatable {
        var track: UInt64
        var name: String
        var start: UInt64
        var end: UInt64
        var depth: Int
    }

    /// The slices of all tracks in the order of their ends.
    ///
    /// Throws if an end has no begin, or a begin has no end.
    func slices() throws -> [Slice] {
        var open: [UInt64: [Event]] = [:]
        var slices: [Slice] = []
        for event in events {
            if event.kind == 1 { open[event.track, default: []].append(event) }
            guard event.kind == 2 else { continue }
            guard let begin = open[event.track]?.popLast(), let name = begin.name else {
                throw Broken(description: "an end without begin")
            }
            slices.append(
                Slice(
                    track: event.track, name: name, start: begin.time, end: event.time,
                    depth: open[event.track]?.count ?? 0))
        }
        guard open.values.allSatisfy(\.isEmpty) else { throw Broken(description: "a begin without end") }
        return slices
    }

    /// The names of the events along each flow, in the order of time.
    ///
    /// Throws if a flow continues after its end, or if a flow has no end.
    func endedFlows() throws -> [UInt64: [String]] {
        let (flows, ended) = try flows()
        guard ended.count == flows.count else { throw Broken(description: "a flow without end") }
        return flows
    }

    /// The names of the events along each flow, in the order of time, and the flows that end.
    ///
    /// Throws if a flow continues after its end.
    func flows() throws -> (flows: [UInt64: [String]], ended: Set<UInt64>) {
        var flows: [UInt64: [String]] = [:]
        var ended: Set<UInt64> = []
        let inOrder = events.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
        for event in inOrder.map(\.element) {
            for flow in event.flows + event.lastFlows {
                guard !ended.contains(flow) else { throw Broken(description: "flow \(flow) goes on after its end") }
                flows[flow, default: []].append(event.name ?? "")
            }
            ended.formUnion(event.lastFlows)
        }
        return (flows, ended)
    }
}
