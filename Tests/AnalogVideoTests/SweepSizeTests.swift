import Testing

@testable import AnalogVideo
@testable import AnalogVideoModel

/// Tests that sweeps, which write without bounds checks, first compare the widths of their planes.
struct SweepSizeTests {
    /// One plane is wider than the composite signal; a sweep without the comparison would change this plane.
    @Test(arguments: 0..<3)
    func receivingSweepChangesNoPlanesOfDifferentWidths(wider: Int) throws {
        var settings = NTSCSettings()
        // Luma noise, which would be added after the sweep, would also change the plane.
        settings.lumaNoise = false
        let run = FieldRun(firstRow: 0, rowStep: 1, rowCount: rowsPerBlock, frame: 0)
        let facts = FieldFacts(width: 8, pictureHeight: rowsPerBlock, hasColour: true, run: run, settings: settings)
        let sweep = try #require(SignalPath(settings, facts).receivingSweep)
        guard var luma = Plane(width: wider == 0 ? 16 : 8), var chromaI = Plane(width: wider == 1 ? 16 : 8),
            var chromaQ = Plane(width: wider == 2 ? 16 : 8), var composite = Plane(width: 8),
            var weights = Plane(width: 2 * PeriodicNoise.weightCount)
        else { throw Failure.noMemory }
        fill(&composite, Lanes(0.5))
        sweep.walk(composite, luma: &luma, &chromaI, &chromaQ, firstRow: 0, memory: &weights)
        // New planes contain 0.
        let areUnchanged = [isZero(luma), isZero(chromaI), isZero(chromaQ)]
        #expect(areUnchanged == [true, true, true])
    }

    @Test(arguments: 0..<4)
    func combSweepChangesNoPlanesOfDifferentWidths(wider: Int) throws {
        var settings = NTSCSettings()
        settings.chromaDemodulation = .twoLineComb
        let run = FieldRun(firstRow: 0, rowStep: 1, rowCount: rowsPerBlock, frame: 0)
        let facts = FieldFacts(width: 8, pictureHeight: rowsPerBlock, hasColour: true, run: run, settings: settings)
        let sweep = try #require(SignalPath(settings, facts).combSweep)
        var window = CompositeWindow(width: 8)
        guard window.reserve(3), var luma = Plane(width: wider == 0 ? 16 : 8),
            var chromaI = Plane(width: wider == 1 ? 16 : 8), var chromaQ = Plane(width: wider == 2 ? 16 : 8),
            var composite = Plane(width: 8)
        else { throw Failure.noMemory }
        // The rows differ, because a comb filter finds no chroma if all rows are equal.
        var rowValues = Lanes(0)
        for lane in 0..<rowsPerBlock { rowValues[lane] = Float(lane * lane) }
        fill(&composite, rowValues)
        for _ in 0..<3 { window.append(composite, rowCount: 3 * rowsPerBlock) }
        guard let rows = window.rows(from: rowsPerBlock, .both) else { throw Failure.noMemory }
        sweep.walk(rows, luma: &luma, rows, &chromaI, &chromaQ, chromaFirstRow: rowsPerBlock)
        let areUnchanged = [isZero(luma), isZero(chromaI), isZero(chromaQ)]
        // The comb filter writes luma independently of chroma, and writes either both planes of chroma or no plane.
        #expect(areUnchanged == [wider == 0, wider == 1 || wider == 2, wider == 1 || wider == 2])
    }

    private enum Failure: Error { case noMemory }

    private func fill(_ plane: inout Plane, _ value: Lanes) {
        var columns = plane.columns
        for x in columns.indices { columns[x] = value }
    }

    private func isZero(_ plane: borrowing Plane) -> Bool {
        let columns = plane.readOnlyColumns
        return columns.indices.allSatisfy { columns[$0] == Lanes(0) }
    }
}
