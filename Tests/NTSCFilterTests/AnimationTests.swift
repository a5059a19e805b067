import AnalogVideoModel
import CGStreamer
import CGStreamerCheck
import GstTestSupport
import Testing

/// Tests properties that GstController changes over time.
struct AnimationTests {
    private let grey = [UInt8](repeating: 128, count: 64 * 32 * 4)

    @Test func snowIntensityFollowsAController() throws {
        let harness = makeHarness(["snow-anisotropy": "0"], caps: PixelFormat.bgrx.caps(64, 32))
        animate("snow-intensity", of: harness.subject, from: 0, to: 1)
        let white = (0...2).map { frame in
            harness.play(grey, pts: UInt64(frame) * second / 2)?.count { $0 > 240 } ?? 0
        }
        #expect(white[0] < white[1])
        #expect(white[1] < white[2])
        #expect(harness.subject.number("snow-intensity") == 100)
    }

    @Test func aBooleanFollowsAController() {
        let harness = makeHarness(caps: PixelFormat.bgrx.caps(64, 32))
        animate("enabled", of: harness.subject, from: 0, to: 1)
        #expect(harness.play(grey, pts: 0) == grey)
        #expect(harness.play(grey, pts: second) != grey)
        #expect(harness.play(grey, pts: 0) == grey)
    }

    @Test func everySettingFollowsAController() {
        let harness = makeHarness(caps: PixelFormat.bgrx.caps(64, 32))
        for row in SettingRow.all { animate(row.propertyName, of: harness.subject, from: 0, to: 1) }
        for quarter in 0...4 { #expect(harness.play(grey, pts: UInt64(quarter) * second / 4) != nil) }
        for row in SettingRow.all {
            let expected: Double =
                switch row.kind {
                case .toggle: 1
                case .integer(let range): Double(range.upperBound)
                case .real(let range): Double(range.upperBound)
                case .choice(_, let options): Double(options.map { $0.value }.max() ?? 0)
                }
            #expect(harness.subject.number(row.propertyName) == expected, "\(row.key)")
        }
    }

    /// Adds a controller that changes a property from `start` to `end` in a second; 0 and 1 are the property's limits.
    private func animate(_ name: String, of filter: TestElement, from start: Double, to end: Double) {
        let source = gst_interpolation_control_source_new()!
        var mode = GValue()
        g_value_init(&mode, gst_interpolation_mode_get_type())
        g_value_set_enum(&mode, gint(GST_INTERPOLATION_MODE_LINEAR.rawValue))
        g_object_set_property(UnsafeMutableRawPointer(source).assumingMemoryBound(to: GObject.self), "mode", &mode)
        let values = UnsafeMutableRawPointer(source).assumingMemoryBound(to: GstTimedValueControlSource.self)
        gst_timed_value_control_source_set(values, 0, start)
        gst_timed_value_control_source_set(values, GstClockTime(second), end)
        gst_object_add_control_binding(
            filter.gstObject,
            gst_direct_control_binding_new(
                filter.gstObject, name, UnsafeMutableRawPointer(source).assumingMemoryBound(to: GstControlSource.self)))
        gst_object_unref(source)
    }
}
