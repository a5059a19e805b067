import Testing

@testable import MonitorPolicy

@Suite struct ShownLinksTests {
    /// Readings of elements; `links` has the name of each element and the names of the elements downstream of it.
    private static func readings(_ links: KeyValuePairs<String, [String]>) -> [ElementReading] {
        links.enumerated().map { id, link in
            var reading = ElementReading(id: id, name: link.key, factory: link.key, kinds: [], counts: ElementCounts())
            reading.downstream = link.value
            return reading
        }
    }

    @Test func linksLeadAcrossElementsThatAreNotShown() {
        let readings = Self.readings([
            "source": ["caps"], "caps": ["convert"], "convert": ["tee"], "tee": ["encoder", "scale"],
            "scale": ["display"], "encoder": ["display"], "display": [],
        ])
        let (graph, shown) = (ElementGraph(readings), ["source", "encoder", "display"] as Set)
        func links(_ name: String) -> [String] {
            graph.reachable(from: name, until: shown.contains).filter(shown.contains)
        }
        #expect(links("source") == ["encoder", "display"])
        #expect(links("encoder") == ["display"])
        #expect(links("display").isEmpty)
    }

    @Test func aRingOfElementsEnds() {
        let readings = Self.readings(["source": ["one"], "one": ["two"], "two": ["one", "source"]])
        #expect(ElementGraph(readings).reachable(from: "source") { $0 == "source" } == ["one", "two"])
    }

    /// Tests that a snapshot has links only between shown elements.
    @Test func theBookShowsASourceLinkedToItsSink() {
        var book = PipelineBook(name: "pipeline0", targets: Targets(), showsAll: false, now: .zero)
        var readings = Self.readings(["source": ["caps"], "caps": ["sink"], "sink": []])
        readings[0].kinds = ["source"]
        readings[2].kinds = ["sink"]
        readings[2].isSink = true
        let snapshot = book.tick(readings, process: ProcessFigures(), now: .seconds(1)).snapshot
        #expect(snapshot.elements.map(\.name) == ["source", "sink"])
        #expect(snapshot.elements.map(\.links) == [["sink"], []])
    }
}
