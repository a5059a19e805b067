import GStreamer
import MonitorEngine
import MonitorPolicy

/// Reads once a second what probes do not see: levels that elements report, and the process.
///
/// Not for streaming threads: it reads properties and files.
final class PipelineReader: Sendable {
    /// Readings of all elements, also of those that are gone.
    func read(_ tap: PipelineTap) -> [ElementReading] {
        let (present, former) = tap.elements
        return present.map { read($0, isPresent: true, now: tap.now) }
            + former.map { read($0, isPresent: false, now: tap.now) }
    }

    /// Figures of the process.
    func readProcess() -> ProcessFigures { ProcessFigures() }

    private func read(_ element: ElementTap, isPresent: Bool, now: UInt64) -> ElementReading {
        let values = isPresent ? element.reported : []
        if let dropped = values.first(where: { $0.name == "dropped" }) {
            element.record.reportDropped(UInt64(max(0, min(dropped.value, 9e15))))
        }
        var reading = ElementReading(
            id: element.id, name: element.record.name, factory: element.record.factory, kinds: element.kinds,
            counts: element.record.read(now: now))
        reading.isSink = element.isSink
        reading.keepsFrames = element.keepsFrames
        reading.levels = values.map { ElementSnapshot.Level($0.name, detail: $0.detail, $0.value, isCounter: $0.isCounter) }
        reading.downstream = isPresent ? element.downstream : []
        return reading
    }
}
