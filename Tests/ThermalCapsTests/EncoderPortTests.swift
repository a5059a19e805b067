import CGStreamer
@testable import GStreamer
import Testing

@testable import ThermalCaps
@testable import ThermalPolicy

/// Tests the bitrate of a V4L2 encoder with simulated drivers.
@Suite struct EncoderPortTests {
    private let element: ElementReference

    init() {
        FakeEncoder.ready
        let raw = gst_element_factory_make("v4l2h264enc", nil)!
        gst_object_ref_sink(raw)
        element = ElementReference(raw)
        gst_object_unref(raw)
    }

    @Test func anElementWithoutControlsHasNone() throws {
        let element = try #require(ElementReference(factory: "identity"))
        #expect(element.control("field", in: "sleep-time") == nil && element.driverControl(1) == nil)
        #expect(!element.isFixed("sleep-time") && !element.isFixed("no-such"))
    }

    /// A port whose driver computes the bitrate from the field `video_bitrate`.
    private func port(_ driver: @escaping (Double?) -> Double?) -> EncoderPort? {
        EncoderPort(element, driver: { [element] _ in driver(element.control("video_bitrate", in: "extra-controls")) })
    }

    private func follow(_ port: inout EncoderPort?, share: Double) {
        _ = port?.follow(BitrateOrder(share: share, pixelsPerSecond: 1))
    }

    private func setByUser(_ controls: String) {
        let structure = gst_structure_from_string(controls, nil)
        var value = GValue()
        g_value_init(&value, gst_structure_get_type())
        g_value_take_boxed(&value, structure)
        g_object_set_property(element.object, "extra-controls", &value)
        g_value_unset(&value)
    }

    private var controls: String { element.text("extra-controls")?.filter { !"\"\\".contains($0) } ?? "" }
    private var bitrate: Double? { element.control("video_bitrate", in: "extra-controls") }

    @Test(arguments: ["controls,video_bitrate=4000000", "controls,video_bitrate=4000000,other=1"])
    func restoresTheStructureWhenTheDriverRefuses(user: String) {
        setByUser(user)
        let before = controls
        var port = port { _ in 4_000_000 }
        follow(&port, share: 0.7)
        #expect(port?.obstacle == .isRefused && port?.share == 1)
        #expect(controls == before)
    }

    @Test func removesTheAddedFieldWhenTheDriverRefuses() {
        setByUser("controls,other=1")
        let before = controls
        var port = port { _ in 4_000_000 }
        follow(&port, share: 0.7)
        #expect(port?.obstacle == .isRefused && controls == before)
    }

    /// A driver that has accepted a lower value, but accepts no still lower value, has reached its lowest bitrate.
    @Test func holdsTheLowestBitrateOfTheDriverAndRestoresTheFullOne() {
        setByUser("controls,video_bitrate=4000000")
        var port = port { $0.map { max($0, 3_000_000) } }
        for share in [0.7, 0.49] {
            follow(&port, share: share)
            #expect(port?.obstacle == nil)
        }
        #expect(port?.share == 0.75)
        follow(&port, share: 1)
        #expect(port?.share == 1 && bitrate == 4_000_000)
    }

    /// The user sets a structure without the bitrate, and the driver cannot be read.
    @Test func holdsAndRestoresTheBitrateWhenTheUserRemovesTheField() {
        setByUser("controls,video_bitrate=4000000")
        var port = port { _ in nil }
        follow(&port, share: 0.7)
        #expect(bitrate == 2_800_000)
        setByUser("controls,other=1")
        // The port writes the bitrate again, because the device may have been closed before.
        follow(&port, share: 0.7)
        #expect(bitrate == 2_800_000 && port?.share == 0.7)
        follow(&port, share: 0.49)
        #expect(bitrate == 1_960_000)
        setByUser("controls,other=2")
        follow(&port, share: 0.49)
        #expect(bitrate == 1_960_000)
        follow(&port, share: 1)
        #expect(port?.share == 1 && controls == "controls, other=(int)2;")
    }
}
