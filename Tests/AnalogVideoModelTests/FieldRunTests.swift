import AnalogVideoModel
import Testing

/// Compares the results of `FieldRun.plan` with the tables in docs/NTSC.md, "Fields".
struct FieldRunTests {
    /// Text with the rows and the frame number of each `FieldRun`; `~` marks a run with `fillsOtherRows`.
    private func plan(_ scan: Scan, _ useField: UseField = .both, frame: UInt64 = 10, height: Int) -> String {
        let (first, second) = FieldRun.plan(frame: frame, scan: scan, useField: useField, height: height)
        return [first, second].compactMap(\.self).map { run in
            let rows = (0..<run.rowCount).map { run.firstRow + $0 * run.rowStep }
            return "\(run.fillsOtherRows ? "~" : "")\(rows)@\(run.frame)"
        }.joined(separator: " ")
    }

    @Test(arguments: [
        (UseField.upper, ["~[0]@10", "~[0]@10", "~[0, 2]@10", "~[0, 2]@10", "~[0, 2, 4]@10"]),
        (.lower, ["~[0]@10", "~[1]@10", "~[1]@10", "~[1, 3]@10", "~[1, 3]@10"]),
        (.alternating, ["~[0]@10", "~[1]@10", "~[1]@10", "~[1, 3]@10", "~[1, 3]@10"]),
        (.both, ["[0]@10", "[0, 1]@10", "[0, 1, 2]@10", "[0, 1, 2, 3]@10", "[0, 1, 2, 3, 4]@10"]),
        (
            .interleavedUpper,
            ["[0]@20", "[0]@20 [1]@21", "[0, 2]@20 [1]@21", "[0, 2]@20 [1, 3]@21", "[0, 2, 4]@20 [1, 3]@21"]
        ),
        (
            .interleavedLower,
            ["[0]@21", "[0]@21 [1]@20", "[0, 2]@21 [1]@20", "[0, 2]@21 [1, 3]@20", "[0, 2, 4]@21 [1, 3]@20"]
        ),
    ])
    func progressiveFramesUseTheSetting(useField: UseField, runs: [String]) {
        #expect((1...5).map { plan(.progressive, useField, height: $0) } == runs)
    }

    @Test func alternatingUsesUpperFieldOfOddFrames() {
        #expect(plan(.progressive, .alternating, frame: 11, height: 5) == "~[0, 2, 4]@11")
        #expect(plan(.progressive, .alternating, frame: 12, height: 5) == "~[1, 3]@12")
        #expect(plan(.progressive, .alternating, frame: 11, height: 1) == "~[0]@11")
    }

    @Test(arguments: UseField.allCases)
    func interlacedFramesIgnoreTheSetting(useField: UseField) {
        for height in 1...5 {
            #expect(
                plan(.interlaced(topFieldFirst: true), useField, height: height)
                    == plan(.progressive, .interleavedUpper, height: height))
            #expect(
                plan(.interlaced(topFieldFirst: false), useField, height: height)
                    == plan(.progressive, .interleavedLower, height: height))
        }
    }

    @Test func singleFieldDoesNotChangeOtherRows() {
        #expect(
            (1...5).map { plan(.oneField(isTop: true), height: $0) }
                == ["[0]", "[0]", "[0, 2]", "[0, 2]", "[0, 2, 4]"].map { $0 + "@20" })
        #expect(
            (1...5).map { plan(.oneField(isTop: false), height: $0) }
                == ["[0]", "[1]", "[1]", "[1, 3]", "[1, 3]"].map { $0 + "@20" })
    }

    @Test func separateFieldUsesAllRows() {
        #expect(
            (1...3).map { plan(.separateField(isSecond: false, isTop: true), height: $0) }
                == ["[0]@20", "[0, 1]@20", "[0, 1, 2]@20"])
        #expect(plan(.separateField(isSecond: true, isTop: false), height: 2) == "[0, 1]@21")
    }

    @Test(arguments: UseField.allCases)
    func extremeHeightsStayInsideThePicture(useField: UseField) {
        for height in 0...3 {
            let (first, second) = FieldRun.plan(
                frame: .max, scan: .progressive, useField: useField, height: height)
            for run in [first, second].compactMap(\.self) where run.rowCount > 0 {
                #expect(run.firstRow + (run.rowCount - 1) * run.rowStep < height)
            }
        }
    }
}
