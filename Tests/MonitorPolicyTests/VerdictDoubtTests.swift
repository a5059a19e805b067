import Testing

@testable import MonitorPolicy

/// Tests pipelines that only seem to be limited by an element, and pipelines whose slow element is hard to detect.
@Suite struct VerdictDoubtTests {
    typealias Element = DrawnPipeline.Element

    private static let encoder = Element(name: "a", latency: 49, next: ["b"])

    /// A queue that is full of frames in flight, but not of frames that wait.
    private static let inFlight: Element = {
        var queue = Element.queue("q", 0, to: "a")
        queue.levels = [.init("in-flight", 4), .init("max-in-flight", 4)]
        return queue
    }()

    private static let silent: [(String, [Element])] = [
        (
            "a filter waits for the clock",
            [
                .source("s", to: "q"), .queue("q", 1, to: "a"),
                Element(name: "a", latency: 50, waitsForClock: true, next: ["b"]), .sink("b"),
            ]
        ),
        (
            "the sink behind a queue that fills waits for the clock",
            [
                .source("s", to: "q"), .queue("q", 1, to: "a"), Element(name: "a", latency: 48, next: ["r"]),
                .queue("r", 0.6, to: "b"), .sink("b", waitsForClock: true),
            ]
        ),
        (
            "one frame in sixty is dropped",
            [
                .source("s", to: "q"), Element(name: "q", kinds: ["queue"], rate: 60, drops: 1, next: ["b"]),
                .sink("b"),
            ]
        ),
        (
            "frames are in flight",
            [.source("s", to: "q"), inFlight, Element(name: "a", next: ["b"]), .sink("b")]
        ),
        (
            "a muxer waits for another input",
            [
                .source("s", to: "q"), .queue("q", 1, to: "m"), .source("live", to: "r"), .queue("r", 0, to: "m"),
                Element(name: "m", latency: 1500, next: ["b"]), .sink("b"),
            ]
        ),
        (
            "a mixer waits for another input without a queue",
            [
                .source("s", to: "q"), .queue("q", 1, to: "m"), .source("live", to: "m"),
                Element(name: "m", latency: 49, next: ["b"]), .sink("b"),
            ]
        ),
        (
            "a queue of unknown level follows",
            [
                .source("s", to: "q"), .queue("q", 1, to: "a"), Element(name: "a", latency: 1500, next: ["m"]),
                Element(name: "m", kinds: ["queue"], next: ["b"]), .sink("b"),
            ]
        ),
        (
            "two elements of one thread would be busy all the time",
            [
                .source("s", to: "q"), .queue("q", 1, to: "a"), Element(name: "a", latency: 50, next: ["c"]),
                Element(name: "c", latency: 49, next: ["b"]), .sink("b"),
            ]
        ),
    ]

    @Test(arguments: silent) func silentInDoubt(name: String, elements: [Element]) {
        var process = ProcessFigures()
        process.machineCPU = 1
        #expect(DrawnPipeline.snapshot(elements, process: process).bottleneck == nil, "\(name)")
        #expect(DrawnPipeline.snapshot(elements, isLast: true).bottleneck == nil, "\(name)")
    }

    @Test func converterOfRatesIsNotNamedAlone() {
        func found(_ behind: [Element]) -> Bottleneck? {
            let holder = Element(name: "rate", latency: 50, holdsOne: true, next: [behind[0].name])
            return DrawnPipeline.snapshot([.source("s", to: "q"), .queue("q", 1, to: "rate"), holder] + behind)
                .bottleneck
        }
        #expect(found([Self.encoder, .sink("b")])?.elements == ["a"], "the slow element behind it")
        #expect(found([.sink("b")])?.elements == ["rate", "b"], "either")
    }

    @Test func elementWithAThreadOfItsOwnIsNotNamedAlone() {
        let found = DrawnPipeline.snapshot([
            .source("s", to: "q"), .queue("q", 1, to: "mixer"),
            Element(name: "mixer", latency: 50, hasOwnThread: true, next: ["b"]), .sink("b"),
        ]).bottleneck
        #expect(found?.kind == .part && found?.elements == ["mixer", "b"])
    }

    @Test func fullQueueThatWasRemovedDoesNotHideTheBottleneck() {
        let found = DrawnPipeline.snapshot([
            .source("s", to: "q"), .queue("q", 1, to: "a"), Self.encoder, .sink("b"),
            Element(name: "gone", kinds: ["queue"], buffers: (10, 10), removed: 5, next: ["b"]),
        ]).bottleneck
        #expect(found?.elements == ["a"])
    }

    @Test func slowInputOfAMuxerIsNamed() {
        let found = DrawnPipeline.snapshot([
            .source("video", to: "first"), .queue("first", 1, to: "m"),
            .source("audio", to: "second"), .queue("second", 1, to: "a"),
            Element(name: "a", latency: 49, next: ["third"]), .queue("third", 0, to: "m"),
            Element(name: "m", latency: 1500, next: ["b"]), .sink("b"),
        ]).bottleneck
        #expect(found?.elements == ["a"] && found?.queue == "second")
    }

    @Test func slowElementBeforeAnEmptyQueueAndAClockIsNamed() {
        let found = DrawnPipeline.snapshot([
            .source("s", to: "q"), .queue("q", 1, to: "a"), Element(name: "a", latency: 49, next: ["r"]),
            .queue("r", 0, to: "b"), .sink("b", waitsForClock: true),
        ]).bottleneck
        #expect(found?.elements == ["a"])
    }

    @Test func threadsThatWaitForEachOtherDoNotHideTheirEncoder() {
        func found(machine: Double) -> Bottleneck? {
            var process = ProcessFigures()
            (process.cpu, process.cpuWait, process.machineCPU) = (1.8, 3, machine)
            let encoder = Element(name: "a", latency: 49, cpu: 1.7, cpuWait: 2, next: ["b"])
            return DrawnPipeline.snapshot(
                [.source("s", to: "q"), .queue("q", 1, to: "a"), encoder, .sink("b")], process: process
            ).bottleneck
        }
        #expect(found(machine: 1.9)?.elements == ["a"])
        #expect(found(machine: 4) == nil, "other programs use the processors")
    }

    @Test func partThatLacksAProcessorIsNotNamed() {
        func found(wait: Double) -> Bottleneck? {
            DrawnPipeline.snapshot([
                .source("s", to: "q"), .queue("q", 1, to: "a"),
                Element(name: "a", latency: 24, cpu: 0.2, cpuWait: wait, next: ["c"]),
                Element(name: "c", latency: 24, cpu: 0.2, cpuWait: wait, next: ["b"]), .sink("b"),
            ]).bottleneck
        }
        #expect(found(wait: 0.1)?.elements == ["a", "c", "b"])
        #expect(found(wait: 0.7) == nil)
    }
}
