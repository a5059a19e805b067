import CGStreamer
import Testing
import ThermalPolicy

@testable import GStreamer
@testable import ThermalCaps

/// A V4L2 encoder's bitrate, with drivers this machine need not have.
@Suite struct BitrateDialTests {
    private let element: ElementReference

    init() {
        FakeEncoder.ready
        let raw = gst_element_factory_make("v4l2h264enc", nil)!
        gst_object_ref_sink(raw)
        element = ElementReference(raw)
        gst_object_unref(raw)
    }

    /// With a driver that has a bitrate, given the field as it is.
    private func dial(_ driver: @escaping (Double?) -> Double?) -> BitrateDial {
        BitrateDial(
            element, "extra-controls", .control("video_bitrate", driver: 1),
            driver: { [element] _ in driver(element.control("video_bitrate", in: "extra-controls")) })
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

    @Test(arguments: ["controls,video_bitrate=4000000", "controls,video_bitrate=4000000,other=1"])
    func whatADriverRefusesIsAsItWas(user: String) {
        setByUser(user)
        let before = controls
        var dial = dial { _ in 4_000_000 }
        let turned = dial.turn(to: 0.7)
        #expect(turned?.value == 2_800_000 && turned?.isRefused == true && !dial.isHeld)
        #expect(controls == before)
    }

    @Test func aFieldThatWasNotThereIsNotThereAgain() {
        setByUser("controls,other=1")
        let before = controls
        var dial = dial { _ in 4_000_000 }
        let turned = dial.turn(to: 0.7)
        #expect(turned?.isRefused == true && controls == before)
    }

    /// It has taken one value, and has come to its least.
    @Test func aDriverThatGoesNoLowerIsHeldAndGetsBackWhatItHad() {
        setByUser("controls,video_bitrate=4000000")
        var dial = dial { $0.map { max($0, 3_000_000) } }
        let turned = [0.7, 0.49].map { dial.turn(to: $0)?.isRefused }
        #expect(turned == [false, false] && dial.isHeld && dial.share == 0.75)
        _ = dial.turn(to: 1)
        #expect(!dial.isHeld && element.control("video_bitrate", in: "extra-controls") == 4_000_000)
    }

    /// The user's next structure leaves the bitrate out, and nobody can ask the driver what it still has.
    @Test func whatASilentDriverWasGivenIsStillHeldAndGivenBack() {
        setByUser("controls,video_bitrate=4000000")
        var dial = dial { _ in nil }
        let less = dial.turn(to: 0.7)
        setByUser("controls,other=1")
        let isUsers = dial.userHasSet()
        #expect(less?.value == 2_800_000 && dial.present == 2_800_000 && !isUsers && dial.share == 0.7)
        // A device that was not open yet has to hear of it again.
        #expect(element.control("video_bitrate", in: "extra-controls") == 2_800_000)
        let least = dial.turn(to: 0.49)
        setByUser("controls,other=2")
        let isUsersNow = dial.userHasSet()
        #expect(least?.value == 1_960_000 && !isUsersNow)
        let back = dial.turn(to: 1)
        #expect(back?.value == 4_000_000 && !dial.isHeld && controls == "controls, other=(int)2;")
    }
}
