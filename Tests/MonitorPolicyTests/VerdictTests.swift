import Testing

@testable import MonitorPolicy

/// Tests the sentences that name the cause of a slow pipeline.
@Suite struct VerdictTests {
    typealias Element = DrawnPipeline.Element

    private func process(
        cpu: Double, wait: Double, machine: Double? = nil, processors: Int? = nil, quota: Double? = nil
    ) -> ProcessFigures {
        var process = ProcessFigures()
        (process.cpu, process.cpuWait) = (cpu, wait)
        (process.machineCPU, process.machineProcessors, process.processors) = (machine, processors, quota)
        return process
    }

    private static let slowEncoder: [Element] = [
        .source("source", to: "first"), .queue("first", 1, to: "convert"),
        Element(name: "convert", latency: 0.5, rate: 10, next: ["second"]), .queue("second", 1, to: "a"),
        Element(name: "a", kinds: ["encoder"], latency: 98, rate: 10, cpu: 0.95, cpuWait: 0.02, next: ["third"]),
        .queue("third", 0, to: "b"), .sink("b"),
    ]

    @Test(arguments: [false, true]) func elementBehindTheLastFullQueueIsNamed(isLast: Bool) throws {
        let snapshot = DrawnPipeline.snapshot(Self.slowEncoder, process: process(cpu: 1, wait: 0.03), isLast: isLast)
        let found = try #require(snapshot.bottleneck)
        #expect(found.kind == .element && found.elements == ["a"] && found.queue == "second" && !found.queueDrops)
        #expect(snapshot.verdict.count == 1)
        #expect(
            snapshot.verdict.first?.hasPrefix("bottleneck: a, 9") == true
                && snapshot.verdict.first?.hasSuffix("second is full before it") == true, "\(snapshot.verdict)")
    }

    @Test func sinkBehindFastElementsIsNamed() {
        let snapshot = DrawnPipeline.snapshot([
            .source("source", to: "first"), .queue("first", 1, to: "convert"),
            Element(name: "convert", latency: 0.5, next: ["second"]), .queue("second", 1, to: "a"),
            Element(name: "a", latency: 0.005, cpu: 0.001, cpuWait: 0.03, next: ["b"]), .sink("b"),
        ])
        #expect(snapshot.bottleneck?.kind == .sink && snapshot.bottleneck?.elements == ["b"])
        #expect(snapshot.verdict.first?.hasPrefix("bottleneck: b, the sink, takes ") == true, "\(snapshot.verdict)")
    }

    @Test func elementBehindALeakyQueueIsNamed() {
        let snapshot = DrawnPipeline.snapshot([
            .source("source", to: "first"), .queue("first", 0.2, drops: 10, to: "a"),
            Element(name: "a", latency: 49.8, rate: 19, cpu: 0.02, next: ["second"]), .queue("second", 0, to: "b"),
            Element(name: "b", kinds: ["encoder"], latency: 2, rate: 19, next: ["c"]), .sink("c"),
        ])
        #expect(snapshot.bottleneck?.elements == ["a"] && snapshot.bottleneck?.queueDrops == true)
        #expect(snapshot.verdict.first?.hasSuffix("first drops frames before it") == true, "\(snapshot.verdict)")
    }

    @Test func filterBeforeATeeIsNamed() {
        let snapshot = DrawnPipeline.snapshot([
            .source("source", to: "first"), .queue("first", 1, to: "a"),
            Element(name: "a", latency: 45, rate: 20, next: ["t"]), Element(name: "t", next: ["second", "third"]),
            .queue("second", 0, to: "b"), Element(name: "b", kinds: ["encoder"], latency: 2, next: ["c"]), .sink("c"),
            .queue("third", 0, to: "d"), .sink("d"),
        ])
        #expect(snapshot.bottleneck?.elements == ["a"] && snapshot.bottleneck?.queue == "first")
    }

    @Test func lackOfProcessorsIsSaidAndNoElementBlamed() {
        var elements = Self.slowEncoder
        let short = process(cpu: 0.04, wait: 0.96, machine: 0.96, processors: 1)
        for index in elements.indices { (elements[index].cpu, elements[index].cpuWait) = (0.02, 0.6) }
        let expected =
            "waited for a CPU: 96.0 % of the time that its threads wanted to run; other programs use 0.92 of its 1 CPU"
        #expect(DrawnPipeline.snapshot(elements, process: short).verdict == [expected])
        // The sentence does not require a full queue.
        let fast: [Element] = [.source("s", to: "q"), .queue("q", 0.3, to: "b"), .sink("b")]
        #expect(DrawnPipeline.snapshot(fast, process: short).verdict == [expected])
    }

    @Test func severalElementsOfOneThreadAreAPart() {
        let snapshot = DrawnPipeline.snapshot([
            .source("source", to: "q"), .queue("q", 1, to: "a"), Element(name: "a", latency: 24, next: ["b"]),
            Element(name: "b", latency: 24, next: ["c"]), .sink("c"),
        ])
        #expect(snapshot.verdict == ["bottleneck: behind q, which is full: a, b, c"])
    }

    private static let silent: [(String, [Element])] = [
        (
            "nothing is full",
            [
                .source("s", to: "q"), .queue("q", 0.1, to: "a"), Element(name: "a", latency: 10, next: ["b"]),
                .sink("b"),
            ]
        ),
        (
            "the sink waits for the clock",
            [
                .source("s", to: "q"), .queue("q", 1, to: "a"), Element(name: "a", latency: 30, next: ["r"]),
                .queue("r", 1, to: "b"), .sink("b", waitsForClock: true),
            ]
        ),
        (
            "an encoder holds frames, and its sink waits",
            [
                .source("s", to: "q"), .queue("q", 1, to: "a"), Element(name: "a", latency: 1500, next: ["b"]),
                .sink("b", waitsForClock: true),
            ]
        ),
        (
            "a converter of rates holds one frame, and its sink waits",
            [
                .source("s", to: "q"), .queue("q", 1, to: "a"), Element(name: "a", latency: 50, next: ["b"]),
                .sink("b", waitsForClock: true),
            ]
        ),
        (
            "two branches are slow",
            [
                .source("s", to: "t"), Element(name: "t", next: ["q", "r"]),
                .queue("q", 1, to: "a"), Element(name: "a", latency: 49, next: ["b"]), .sink("b"),
                .queue("r", 1, to: "c"), Element(name: "c", latency: 49, next: ["d"]), .sink("d"),
            ]
        ),
        ("links end nowhere", [.source("s", to: "q"), .queue("q", 1, to: "unknown")]),
        ("links form a ring", [.queue("q", 1, to: "r"), .queue("r", 1, to: "q")]),
        ("no elements", []),
    ]

    @Test(arguments: silent) func silentIfTheFiguresShowNoBottleneck(name: String, elements: [Element]) {
        #expect(DrawnPipeline.snapshot(elements, process: process(cpu: 0.9, wait: 0.1)).verdict == [], "\(name)")
        #expect(DrawnPipeline.snapshot(elements, isLast: true).verdict == [], "\(name)")
    }

    @Test func silentIfNotAllElementsAreWatched() {
        #expect(DrawnPipeline.snapshot(Self.slowEncoder, showsAll: true).bottleneck == nil)
    }

    @Test func waitNamesItsReasonIfItIsKnown() {
        func text(_ process: ProcessFigures) -> String? { process.waitSentence.map { String($0.drop { $0 != ";" }) } }
        #expect(text(process(cpu: 0.5, wait: 1.5)) == "")
        #expect(
            text(process(cpu: 0.1, wait: 0.9, machine: 2, processors: 2)) == "; other programs use 1.90 of 2 CPUs")
        #expect(
            text(process(cpu: 1.9, wait: 2, machine: 1.95, processors: 2))
                == "; it uses 1.90 of 2 CPUs itself, other programs 0.05")
        #expect(
            text(process(cpu: 0.48, wait: 2, machine: 1, processors: 8, quota: 0.5))
                == "; it uses 0.48 of the 0.50 CPUs of its quota")
        var stolen = process(cpu: 0.1, wait: 0.9, machine: 1, processors: 2)
        stolen.stolenCPU = 0.4
        #expect(text(stolen)?.hasSuffix(", the host of the virtual machine 0.40") == true)
    }

    @Test func waitThatDoesNotMatterIsSilent() {
        #expect(process(cpu: 0.01, wait: 0.02).waitSentence == nil, "too little")
        #expect(process(cpu: 4, wait: 1).waitSentence == nil, "a small share")
        #expect(ProcessFigures().waitSentence == nil && process(cpu: .nan, wait: .nan).waitSentence == nil)
    }

    @Test func sentencesStandInTableLineAndJSON() {
        let snapshot = DrawnPipeline.snapshot(
            Self.slowEncoder, process: process(cpu: 0.5, wait: 1.5, machine: 1.9, processors: 2))
        for width in [60, 160] {
            let table = SummaryTable.text(snapshot, width: width)
            #expect(table.contains("waited for a CPU: 75.0 %") && table.contains("bottleneck: a, "), "\(table)")
            #expect(table.split(separator: "\n").allSatisfy { $0.count <= width })
        }
        let line = LiveLine.text(snapshot, width: 200)
        #expect(line.contains("WAITS FOR CPU 75.0 %  bottleneck a  "), "\(line)")
        let json = SnapshotJSON.line(snapshot)
        #expect(json.contains(#""verdict":["waited for a CPU: 75.0 %"#) && json.contains(#""bottleneck":["a"]"#))
    }
}
