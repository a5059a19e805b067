/// Links between elements, by their names.
struct ElementGraph {
    private let downstream: [String: [String]]

    init(_ readings: [ElementReading]) {
        downstream = Dictionary(readings.map { ($0.name, $0.downstream) }, uniquingKeysWith: +)
    }

    /// Names downstream of `name`, nearest first and each once, up to and including those for which `isEnd` is true.
    func reachable(from name: String, until isEnd: (String) -> Bool) -> [String] {
        var found: [String] = []
        var seen: Set<String> = [name]
        var open = downstream[name] ?? []
        while !open.isEmpty {
            let next = open.removeFirst()
            guard seen.insert(next).inserted else { continue }
            found.append(next)
            if !isEnd(next) { open += downstream[next] ?? [] }
        }
        return found
    }
}
