import MonitorPolicy
import Testing

@Suite struct SummaryTableTests {
    @Test func showsEachElementWithItsFiguresAndTheirCoverage() throws {
        let lines = SummaryTable.text(DrawnSnapshot.pipeline()).split(separator: "\n").map(String.init)
        try #require(lines.count == 7)
        #expect(lines[0] == "pipeline0: 01:02, CPU 1.32 cores, memory 84.2 MB, peak 91.0 MB, energy –")
        #expect(lines[2].split(separator: " ").first == "element" && lines[2].hasSuffix("blocked   CPU"))
        let encoder = lines[3].split(separator: "  ").map { $0.drop { $0 == " " } }
        #expect(
            encoder == [
                "encoder", "300", "294", "6", "29.4/s", "11.9 ms", "11.9 ms", "11.9 ms", "12.0 ms", "100 %", "40.0 ms",
                "40.0 ms", "40.0 ms", "40.0 ms", "91.8 %", "2.9 %", "1.25",
            ], "\(encoder)")
        #expect(lines[4].hasPrefix("sink") && lines[4].contains("–"))
        #expect(lines[6].hasPrefix("critical: encoder p95 5") && lines[6].contains("target 20.0 ms (60.0 s, "))
    }

    @Test func titlesStandAboveTheEndOfTheirColumns() throws {
        let lines = SummaryTable.text(DrawnSnapshot.pipeline()).split(separator: "\n").map(Array.init)
        try #require(lines.count > 3)
        let ends = { (line: [Character]) in
            line.indices.filter { line[$0] != " " && ($0 + 1 == line.count || line[$0 + 1] == " ") }
        }
        #expect(ends(lines[2]).count == 17 && Set(ends(lines[2]).dropFirst()).isSubset(of: ends(lines[3])))
        #expect(Set(ends(lines[1])).isSubset(of: ends(lines[2])), "titles of groups")
    }

    @Test(arguments: [60, 72, 80, 100, 120, 170])
    func leavesOutColumnsOfLessWorthRatherThanExceedTheWidth(width: Int) throws {
        let lines = SummaryTable.text(DrawnSnapshot.pipeline(), width: width).split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= width }, "\(lines)")
        let titles = try #require(lines.first { $0.hasPrefix("element") })
        for title in ["P95", "measured", "rate"] { #expect(titles.contains(title), "\(titles)") }
        #expect(titles.contains("max") == (width > 150))
    }

    @Test func namesCanNeitherBreakLinesNorMoveTheCursor() {
        var snapshot = DrawnSnapshot.pipeline()
        snapshot.name = "a\nb\u{1B}c"
        snapshot.elements[0].name = "x\n\u{1B}[2J" + String(repeating: "y", count: 300)
        snapshot.alerts = DrawnSnapshot.alerts("\r\n")
        let text = SummaryTable.text(snapshot) + LiveLine.text(snapshot, width: 400)
        #expect(!text.unicodeScalars.contains { $0.value < 32 && $0 != "\n" })
        #expect(text.split(separator: "\n").count == 8)
    }

    /// The table names such targets, because the bus may discard a warning that is posted in the last second.
    @Test func targetsThatNoElementMatchesAreNamed() throws {
        let targets = try Targets(text: "encoder: p95=20ms; dispaly: rate=30; pipeline: p95=1s")
        var book = PipelineBook(name: "p", targets: targets, showsAll: true, now: .zero)
        let reading = ElementReading(
            id: 0, name: "encoder", factory: "x264enc", kinds: ["encoder"], counts: ElementCounts())
        let last = book.tick([reading], process: ProcessFigures(), now: .milliseconds(300), isLast: true).snapshot
        let lines = SummaryTable.text(last).split(separator: "\n").filter { $0.hasPrefix("not checked") }
        #expect(lines == ["not checked: no element was called \"dispaly\""])
    }

    @Test func aPipelineWithoutElementsHasATableAsWell() {
        #expect(SummaryTable.text(MonitorSnapshot(name: "p", time: .zero)).contains("no element was watched"))
    }
}

@Suite struct LiveLineTests {
    @Test func showsRateAgeAlertSlowestElementDropsAndProcess() {
        let line = LiveLine.text(DrawnSnapshot.pipeline(), width: 200)
        #expect(
            line.hasPrefix("01:02  30.0/s  age P95 40.4 ms (90.0 %)  CRITICAL encoder p95 5"), "\(line)")
        #expect(line.hasSuffix("slowest encoder P95 11.9 ms (100 %)  dropped 6  CPU 1.32  84.2 MB"), "\(line)")
    }

    @Test(arguments: [0, 1, 2, 20, 79])
    func isNeverLongerThanTheTerminal(width: Int) {
        #expect(LiveLine.text(DrawnSnapshot.pipeline(), width: width).count == width)
    }

    @Test func whatIsNotMeasuredIsADash() {
        var snapshot = MonitorSnapshot(name: "p", time: .zero)
        snapshot.pipeline = DrawnSnapshot.idle("pipeline")
        #expect(LiveLine.text(snapshot) == "00:00  –/s  age P95 – (–)  dropped –  CPU –  –")
    }
}
