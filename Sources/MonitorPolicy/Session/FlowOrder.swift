/// The order of elements from source to sink.
enum FlowOrder {
    /// Sorts by the longest way from a source; elements at the same distance keep their order.
    ///
    /// Links that form a circle end the way.
    static func sorted(_ elements: [ElementReading]) -> [ElementReading] {
        var places: [String: Int] = [:]
        for (index, element) in elements.enumerated() { places[element.name] = index }
        var depths = [Int](repeating: 0, count: elements.count)
        // Each round makes every way right by one more link.
        for _ in elements.indices {
            var hasChanged = false
            for (index, element) in elements.enumerated() {
                for next in element.downstream.compactMap({ places[$0] }) where next != index {
                    guard depths[next] <= depths[index], depths[index] < elements.count else { continue }
                    depths[next] = depths[index] + 1
                    hasChanged = true
                }
            }
            guard hasChanged else { break }
        }
        return elements.indices.sorted { (depths[$0], $0) < (depths[$1], $1) }.map { elements[$0] }
    }
}
