import Testing

@testable import MonitorPolicy

/// Tests that each kind of slow pipeline causes its own sentence, and no sentence of another kind.
@Suite struct SlowKindTests {
    typealias Element = DrawnPipeline.Element

    /// A pipeline with a camera or a network, a decoder behind a queue, and a display.
    private static func pipeline(
        source: Element, packets: (pushed: Double, lost: Double, late: Double)? = nil, queued: Double = 0,
        decoder: Double = 5, rate: Double = 20
    ) -> [Element] {
        [
            source, Element(name: "jitter", rate: rate, packets: packets, next: ["q"]),
            .queue("q", queued, to: "decoder"),
            Element(name: "decoder", kinds: ["decoder"], latency: decoder, rate: rate, next: ["display"]),
            .sink("display", waitsForClock: packets != nil),
        ]
    }

    private static func source(_ framerate: Double? = nil, rate: Double = 20) -> Element {
        Element(name: "camera", kinds: ["source"], rate: rate, framerate: framerate, next: ["jitter"])
    }

    private static func process(wait: Double) -> ProcessFigures {
        var process = ProcessFigures()
        (process.cpu, process.cpuWait, process.machineCPU, process.machineProcessors) = (0.3, wait, 2, 2)
        return process
    }

    /// For each kind, the beginning of its sentence, the elements, and the number of threads that wait for a CPU.
    private static let kinds: [(String, [Element], Double)] = [
        (
            "bottleneck: decoder, 4",  // 49 ms, to the accuracy of the histogram.
            pipeline(source: source(20), queued: 1, decoder: 49), 0
        ),
        (
            "waited for a CPU: 75.0 % of the time that its threads wanted to run; other programs use 1.70 of 2 CPUs",
            pipeline(source: source(30), packets: (90, 10, 10)), 0.9
        ),
        (
            "network late: jitter, 10.0 % of the packets arrived later than its latency of 200 ms permits, and were "
                + "dropped; increase its property latency",
            pipeline(source: source(), packets: (90, 10, 10)), 0
        ),
        (
            "network lossy: jitter, 5.0 % of the packets never arrived; let the sender repeat or protect them, or lower "
                + "its bitrate",
            pipeline(source: source(), packets: (95, 5, 0)), 0
        ),
        ("source slow: camera, 2", pipeline(source: source(30)), 0),
    ]

    @Test(arguments: kinds, [false, true])
    func eachKindHasOneSentence(kind: (sentence: String, elements: [Element], wait: Double), isLast: Bool) {
        let snapshot = DrawnPipeline.snapshot(
            kind.elements, process: Self.process(wait: kind.wait), isLast: isLast)
        #expect(snapshot.verdict.count == 1, "\(snapshot.verdict)")
        #expect(snapshot.verdict.first?.hasPrefix(kind.sentence) == true, "\(snapshot.verdict), not \(kind.sentence)")
        #expect(SummaryTable.text(snapshot, width: 1_000).contains(kind.sentence))
        #expect(SnapshotJSON.line(snapshot).contains(kind.sentence))
    }

    @Test func aSlowSourceIsNamedWithBothRatesAndItsQueues() {
        let source = Finding.slowSource("camera", rate: 14.93, framerate: 30, queues: ["q", "r"])
        #expect(
            source.sentence
                == "source slow: camera, 14.9 frames a second instead of the 30.0 of its caps; q, r behind it are nearly "
                + "empty. Check its exposure, its connection, or its own work")
    }

    private static let silent: [(String, [Element])] = [
        ("a healthy pipeline", pipeline(source: source(20), packets: (100, 0, 0))),
        ("few packets are lost", pipeline(source: source(), packets: (1000, 9, 4))),
        ("a single packet in each second", pipeline(source: source(), packets: (20, 0.4, 0))),
        ("a source a little slower than its caps", pipeline(source: source(22))),
        ("a source whose caps have no framerate", pipeline(source: source())),
        (
            "the sink may be slow",
            [Element(name: "camera", kinds: ["source"], framerate: 30, next: ["display"]), .sink("display")]
        ),
        (
            "a filter in the thread of the source may be slow",
            [
                Element(name: "camera", kinds: ["source"], framerate: 30, next: ["a"]),
                Element(name: "a", latency: 30, next: ["q"]), .queue("q", 0, to: "b"), .sink("b"),
            ]
        ),
        (
            "a queue behind the source is half full",
            [
                Element(name: "camera", kinds: ["source"], framerate: 30, next: ["q"]), .queue("q", 0.5, to: "b"),
                .sink("b"),
            ]
        ),
        (
            "a filter waits for the clock",
            [
                Element(name: "camera", kinds: ["source"], framerate: 30, next: ["a"]),
                Element(name: "a", waitsForClock: true, next: ["q"]), .queue("q", 0, to: "b"), .sink("b"),
            ]
        ),
    ]

    @Test(arguments: silent, [false, true]) func silentInDoubt(
        pipeline: (name: String, elements: [Element]), isLast: Bool
    ) {
        let verdict = DrawnPipeline.snapshot(pipeline.elements, isLast: isLast).verdict
        #expect(verdict.isEmpty, "\(pipeline.name): \(verdict)")
    }

    @Test func lossesOfThePastAreNotThoseOfNow() {
        var history = PipelineBook.PacketHistory()
        for second in 0..<20 {
            history.tick(
                [
                    .init("num-pushed", Double(second) * 100), .init("num-lost", min(Double(second) * 10, 100)),
                    .init("num-late", 0),
                ], framesOut: UInt64(second) * 100)
        }
        #expect(history.fault(sinceStart: false) == nil)
        #expect(history.fault(sinceStart: true)?.isLate == false)
    }

    @Test(arguments: [0, 1000]) func onlyLossesOfTheTimeThatIsWatchedCount(pushedBefore: Double) {
        var history = PipelineBook.PacketHistory()
        for second in 1...10 {
            let passed = Double(second) * 100
            history.tick(
                [.init("num-pushed", pushedBefore + passed), .init("num-lost", 100), .init("num-late", 0)],
                framesOut: UInt64(passed))
            let wasLossy = pushedBefore == 0
            #expect((history.fault(sinceStart: true) != nil) == wasLossy, "second \(second)")
            #expect((history.fault(sinceStart: false) != nil) == (wasLossy && second < 6), "second \(second)")
        }
        // 50 of the next 100 packets are lost. The monitor has counted 1,200 packets, or 1,000 if it began later.
        history.tick(
            [.init("num-pushed", pushedBefore + 1050), .init("num-lost", 150), .init("num-late", 0)], framesOut: 1050)
        #expect(history.fault(sinceStart: true)?.share == (pushedBefore == 0 ? 0.125 : 0.05))
        #expect(history.fault(sinceStart: false)?.share == 0.1)
    }

    @Test func aSourceWhoseCapsHaveJustChangedIsNotSlow() {
        var rate = CapsRate()
        for _ in 0..<10 { rate.tick(15) }
        #expect(rate.steady(sinceStart: true) == 15)
        rate.tick(30)
        #expect(rate.steady(sinceStart: false) == nil, "the last 5 s are those of both")
        for _ in 0..<6 { rate.tick(30) }
        rate.tick(nil)
        #expect(rate.steady(sinceStart: false) == 30 && rate.steady(sinceStart: true) == nil)
    }
}
