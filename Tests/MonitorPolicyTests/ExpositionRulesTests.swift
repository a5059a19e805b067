import Testing

@testable import MonitorPolicy

/// Tests that the text for Prometheus follows the rules of its format, with any names of elements.
@Suite struct ExpositionRulesTests {
    /// A snapshot that has a value for each possible metric.
    private static func full() -> MonitorSnapshot {
        var snapshot = DrawnSnapshot.pipeline()
        (snapshot.process.cpuWait, snapshot.process.machineCPU, snapshot.process.stolenCPU) = (0.5, 1.5, 0.1)
        (snapshot.process.machineProcessors, snapshot.process.cpuPressure) = (2, 0.4)
        (snapshot.process.processors, snapshot.process.power, snapshot.process.energy) = (1.5, 12, 700)
        for index in snapshot.elements.indices {
            (snapshot.elements[index].cpu, snapshot.elements[index].cpuWait) = (0.5, 0.25)
            snapshot.elements[index].counts.own = .nanoseconds(5)
        }
        return snapshot
    }

    @Test func everyFamilyKeepsTheRules() {
        let text = PrometheusText.text(Self.full())
        #expect(ExpositionRules(text).faults == [])
        #expect(text.split(separator: "\n").count { $0.hasPrefix("# TYPE") } >= 25, "\(text)")
        #expect(ExpositionRules(PrometheusText.text(MonitorSnapshot(name: "", time: .zero))).faults == [])
    }

    @Test(arguments: ["a", "a b", "", "a\"b\\c\nd", "é\u{1B}🙂", "{le=\"1\"}", "#", "a,b=c", "\r\n", "pipeline"])
    func elementsOfOneNameHaveSeriesOfTheirOwn(name: String) {
        var snapshot = Self.full()
        snapshot.name = name
        let twin = snapshot.elements[0]
        snapshot.elements = (0..<4).map { _ in twin }
        for index in snapshot.elements.indices {
            snapshot.elements[index].name = index == 3 ? name + "#2" : name
            snapshot.elements[index].levels = [.init(name, detail: name, 1), .init(name, detail: name, 2)]
        }
        snapshot.alerts = DrawnSnapshot.alerts(name) + DrawnSnapshot.alerts(name)
        #expect(ExpositionRules(PrometheusText.text(snapshot)).faults == [])
    }

    /// Tests that elements keep the unique names from the recorder, such as `q#2`, when their order changes.
    @Test func namesThatTheRecorderMadeUniqueAreKept() {
        var snapshot = Self.full()
        let twin = snapshot.elements[0]
        for names in [["q", "q#2"], ["q#2", "q"]] {
            snapshot.elements = names.map { name in
                var element = twin
                element.name = name
                return element
            }
            let text = PrometheusText.text(snapshot)
            #expect(text.split(separator: "\n").count { $0.hasPrefix("gst_frames_in_total{") } == 2)
            for name in names { #expect(text.contains("element=\"\(name)\"")) }
        }
    }

    private static let faulty = [
        "a 1", "a 1\n", "# HELP a b\n# TYPE a gauge\na{x=\"1\"} 1\na{x=\"1\"} 2\n",
        "# HELP a b\n# TYPE a counter\na 1\n", "# HELP a_total b\n# TYPE a_total gauge\na_total 1\n",
        "# HELP a_total b\n# TYPE a_total counter\na_total -1\n", "# TYPE a gauge\na 1\n",
        "# HELP a b\n# TYPE a gauge\na{x=\"1} 1\n", "# HELP a b\n# TYPE a gauge\na{1x=\"1\"} 1\n",
        "# HELP a b\n# TYPE a gauge\na{x=\"1\",x=\"2\"} 1\n", "# HELP a b\n# TYPE a gauge\na 0x10\n",
        "# HELP a b\n# TYPE a gauge\na{x=\"\\t\"} 1\n", "# HELP a b\n# TYPE a gauge\n",
        "# HELP a_ms b\n# TYPE a_ms gauge\na_ms 1\n", "# HELP a b\n# TYPE a untyped\na 1\n",
        "# HELP a b\n# TYPE a gauge\n# HELP b b\n# TYPE b gauge\nb 1\na 1\n",
        "# HELP h b\n# TYPE h histogram\nh_bucket{le=\"1\"} 5\nh_bucket{le=\"+Inf\"} 4\nh_sum 1\nh_count 4\n",
        "# HELP h b\n# TYPE h histogram\nh_bucket{le=\"1\"} 1\nh_sum 1\nh_count 1\n",
        "# HELP h b\n# TYPE h histogram\nh_sum 1\nh_count 1\n",
    ]

    @Test(arguments: faulty) func rulesFindFaults(text: String) {
        #expect(!ExpositionRules(text).faults.isEmpty, "\(text)")
    }
}
