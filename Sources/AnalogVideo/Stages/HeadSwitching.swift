import AnalogVideoModel

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Shifts the lowest rows of a field, where the recorder switches from one video head to the other.
///
/// See docs/NTSC.md, "Head switching".
struct HeadSwitching: Sendable {
    private var field: FieldFacts
    private let height: Int
    private let offset: Int
    private let horizontalShift: Float
    private let midLine: MidLine?
    /// Whether the shift keeps the phase of the carrier.
    private let locksBurst: Bool

    /// Column at which the shift of the uppermost row begins, and its random variation, as fractions of the row.
    private struct MidLine {
        let position: Float
        let jitter: Float
    }

    init?(_ settings: NTSCSettings, _ field: FieldFacts) {
        guard settings.headSwitching else { return nil }
        self.field = field
        height = field.scaledRows(settings.headSwitchingHeight)
        offset = field.scaledRows(settings.headSwitchingOffset)
        guard offset < height else { return nil }
        horizontalShift = settings.headSwitchingHorizontalShift
        locksBurst = settings.burstLock
        midLine =
            settings.headSwitchingStartMidLine
            ? MidLine(position: settings.headSwitchingMidLinePosition, jitter: settings.headSwitchingMidLineJitter)
            : nil
    }

    mutating func begin(_ field: FieldFacts) { self.field = field }

    /// Shifts the rows of a block that are in the affected area.
    func apply(to plane: inout Plane, firstRow: Int) {
        let reached = height - offset
        for lane in 0..<min(rowsPerBlock, field.rowCount - firstRow) {
            // Rows are counted upwards: the lowest row of the field is 1.
            let fromBottom = field.rowCount - (firstRow + lane)
            guard fromBottom <= reached else { continue }
            let shift = RowShift(shift(fromBottom), isInPeriods: locksBurst)
            if let midLine, fromBottom == reached {
                shiftRow(&plane, lane: lane, shift, from: midLine)
            } else {
                shift.apply(to: &plane, lane: lane)
            }
        }
    }

    private func shift(_ fromBottom: Int) -> Float {
        let part = powf(Float(fromBottom + offset) / Float(height), 1.5)
        let jitter = field.seeds(.headSwitching).adding(UInt64(fromBottom)).unitFloat - 0.5
        return (horizontalShift * part + jitter) * field.horizontalScale
    }

    private func shiftRow(_ plane: inout Plane, lane: Int, _ shift: RowShift, from midLine: MidLine) {
        let seeds = field.seeds(.midLineJitter)
        let chance0 = seeds.adding(0 as Int32).unitFloat
        let chance1 = seeds.adding(1 as Int32).unitFloat
        let jitter = (((chance0 + chance1) * 0.5) - 0.5) * midLine.jitter
        let start = max(0, Int(wholeNumber(Float(field.width) * (midLine.position + jitter))))
        guard start <= field.width else { return }
        shift.apply(to: &plane, lane: lane, from: start)

        let length = 16 * field.horizontalScale
        let end = min(field.width, start + Int(wholeNumber(length.rounded(.up))))
        let row = plane.row(lane)
        for x in start..<max(start, end) {
            let fade = 1 - Float(x - start) / length
            row[x] += (fade * fade * fade) * ((chance0 + 0.5) * 0.5)
        }
    }
}
