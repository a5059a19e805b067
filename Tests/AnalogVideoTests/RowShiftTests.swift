import Testing

@testable import AnalogVideo

struct RowShiftTests {
    private static let width = 12

    /// Tests shifts by less and by more than the width of a row, in both directions.
    @Test(
        arguments: [0, 0.25, 1, 3.5, 11, 11.75, 12, 40, -0.25, -1, -3.5, -11, -11.75, -12, -40] as [Float],
        [0, 5, 11, 12])
    func oneRowIsShiftedAsDefined(shift: Float, from start: Int) throws {
        let rowShift = RowShift(shift)
        for lane in [0, rowsPerBlock - 1] {
            guard var plane = Plane(width: Self.width) else { throw Failure.noMemory }
            var columns = plane.columns
            for x in columns.indices { columns[x] = Lanes { Float(x * x) + Float($0) } }
            let before = (0..<Self.width).map { plane.readOnlyColumns[$0] }
            rowShift.apply(to: &plane, lane: lane, from: start)
            func sample(_ x: Int) -> Float { before.indices.contains(x) ? before[x][lane] : 0 }
            for x in 0..<Self.width {
                var expected = before[x]
                if x >= start {
                    let (near, far) = (sample(x - rowShift.whole), sample(x - rowShift.whole - 1))
                    expected[lane] = near * (1 - rowShift.fraction) + far * rowShift.fraction
                }
                #expect(plane.readOnlyColumns[x] == expected)
            }
        }
    }

    private enum Failure: Error { case noMemory }
}
