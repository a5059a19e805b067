/// Links between the elements that are shown, also across elements that are not.
struct ShownLinks {
    private var downstream: [String: [String]] = [:]
    private let shown: Set<String>

    /// Takes the links of all elements, and the names of those that are shown.
    init(_ readings: [ElementReading], shown: Set<String>) {
        self.shown = shown
        for reading in readings { downstream[reading.name, default: []] += reading.downstream }
    }

    /// Names of the nearest shown elements downstream of `name`, each once.
    func links(of name: String) -> [String] {
        var links: [String] = []
        var open = downstream[name] ?? []
        var seen: Set<String> = [name]
        while !open.isEmpty {
            let next = open.removeFirst()
            guard seen.insert(next).inserted else { continue }
            if shown.contains(next) { links.append(next) } else { open += downstream[next] ?? [] }
        }
        return links
    }
}
