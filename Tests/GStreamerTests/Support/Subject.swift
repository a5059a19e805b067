import CGStreamer
import GStreamer
import GstTestSupport
import Testing

/// Registers the elements of these tests.
enum TestElements {
    static let once: Void = { _ = areRegistered }()

    /// Registers the elements once, and stores whether all registrations succeeded.
    ///
    /// Tests run concurrently, and a second registration frees the factory that another test uses.
    static let areRegistered: Bool = {
        _ = Setup.once
        return [
            register(EveryKindFilter.self, in: .none), register(CountedFilter.self, in: .none),
            register(Splitter.self, in: .none), register(NumberSource.self, in: .none),
            register(SumSink.self, in: .none), register(Wrapper.self, in: .none),
            register(Increment.self, in: .none), register(ScriptedSource.self, in: .none),
            register(FrameShaper.self, in: .none), register(Player.self, in: .none), register(Shelf.self, in: .none),
            register(Mixer.self, in: .none), register(Flattener.self, in: .none),
        ].allSatisfy(\.self)
    }()
}

/// An element of these tests that is not in a pipeline.
final class Subject: TestElement, @unchecked Sendable {  // The superclass may be used from any thread.
    init(_ factory: String = EveryKindFilter.factoryName) {
        _ = TestElements.once
        super.init(factory)
    }

    /// The value of a property that holds a GstStructure.
    func structure(_ name: String) -> String? { get(name) }

    /// Calls the C method `set_property` without GLib's checks, with the number `id` of another property if not nil.
    func setUnchecked(float name: String, _ number: Float, id: guint? = nil) throws {
        let spec = try #require(self.spec(name))
        let setProperty = try #require(objectClass.pointee.set_property)
        element.withValue(of: name) {
            g_value_set_float($0, number)
            setProperty(object, id ?? spec.pointee.param_id, $0, spec)
        }
    }
}

let smallCaps = "video/x-raw,format=BGRx,width=4,height=2,framerate=30/1"

func makeHarness(_ subject: Subject = Subject(), caps: String? = smallCaps) -> Harness { Harness(subject, caps: caps) }

/// Adds a GstVideoMeta for a frame of one plane that is 4 pixels wide.
func describe(
    _ frame: RawBuffer, _ format: GstVideoFormat = GST_VIDEO_FORMAT_BGRx, height: guint = 2, offset: Int, stride: Int32
) {
    var offsets: [gsize] = [gsize(offset), 0, 0, 0]
    var strides: [gint] = [stride, 0, 0, 0]
    gst_buffer_add_video_meta_full(frame, GST_VIDEO_FRAME_FLAG_NONE, format, 4, height, 1, &offsets, &strides)
}

extension Harness {
    /// A new black frame, which the caller owns.
    func frame(bytes: Int = 32, pts: GstClockTime? = nil) -> RawBuffer {
        newBuffer([UInt8](repeating: 0, count: bytes), pts: pts.map { UInt64($0) })
    }

    /// Sends a new frame and returns the first byte that arrives; nil if no frame arrives.
    func firstByteAfterPassing(pts: GstClockTime? = nil) -> UInt8? {
        push(frame(pts: pts))
        guard let buffer = pullRaw() else { return nil }
        defer { gst_buffer_unref(buffer) }
        return buffer.bytes.first
    }
}
