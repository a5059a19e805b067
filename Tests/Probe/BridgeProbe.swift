import CAllocationCount
import CGStreamer
import GStreamer

/// Prints the number of calls of a method of a base class, and the number of allocations in all but the first 100.
///
///     Probe bridge aggregate | transform
enum BridgeProbe {
    // Only the streaming thread of the element uses them while the pipeline plays.
    nonisolated(unsafe) private static var calls: UInt = 0
    nonisolated(unsafe) private static var allocations: UInt = 0
    nonisolated(unsafe) private static var aggregate:
        (@convention(c) (UnsafeMutablePointer<GstVideoAggregator>?, UnsafeMutablePointer<GstBuffer>?) -> GstFlowReturn)?
    nonisolated(unsafe) private static var transform:
        (
            @convention(c) (
                UnsafeMutablePointer<GstVideoFilter>?, UnsafeMutablePointer<GstVideoFrame>?,
                UnsafeMutablePointer<GstVideoFrame>?
            ) -> GstFlowReturn
        )?

    static func run(_ method: String) {
        gst_init(nil, nil)
        guard register(Mixer.self, in: .none), register(Flattener.self, in: .none) else {
            fatalError("the elements cannot be registered")
        }
        // The transform posts a message, and so allocates memory, for white video.
        let source = "videotestsrc pattern=black num-buffers=600 ! video/x-raw,width=16,height=16,format="
        switch method {
        case "aggregate":
            play("\(source)GRAY8 ! swifttestmixer name=tested ! fakesink \(source)GRAY8 ! tested.") {
                let methods = $0.assumingMemoryBound(to: GstVideoAggregatorClass.self)
                aggregate = methods.pointee.aggregate_frames
                methods.pointee.aggregate_frames = { element, buffer in
                    BridgeProbe.count { BridgeProbe.aggregate?(element, buffer) ?? GST_FLOW_ERROR }
                }
            }
        case "transform":
            play("\(source)BGRx ! swifttestflattener name=tested ! fakesink") {
                let methods = $0.assumingMemoryBound(to: GstVideoFilterClass.self)
                transform = methods.pointee.transform_frame
                methods.pointee.transform_frame = { element, input, output in
                    BridgeProbe.count { BridgeProbe.transform?(element, input, output) ?? GST_FLOW_ERROR }
                }
            }
        default: fatalError("Probe bridge aggregate | transform")
        }
        print(calls, allocations)
    }

    private static func count(_ call: () -> GstFlowReturn) -> GstFlowReturn {
        let before = allocation_count_of_thread()
        let result = call()
        calls += 1
        if calls > 100 { allocations += allocation_count_of_thread() - before }
        return result
    }

    private static func play(_ line: String, _ wrap: (UnsafeMutableRawPointer) -> Void) {
        guard let pipeline = gst_parse_launch(line, nil), let bus = gst_element_get_bus(pipeline) else {
            fatalError("there is no pipeline")
        }
        let bin = UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstBin.self)
        guard let tested = gst_bin_get_by_name(bin, "tested"), let gClass = cgst_class_of(tested) else {
            fatalError("there is no element")
        }
        wrap(gClass)
        gst_element_set_state(pipeline, GST_STATE_PLAYING)
        let ends = GstMessageType(rawValue: GST_MESSAGE_EOS.rawValue | GST_MESSAGE_ERROR.rawValue)
        gst_message_unref(gst_bus_timed_pop_filtered(bus, GstClockTime.max, ends))
        gst_element_set_state(pipeline, GST_STATE_NULL)
        gst_object_unref(tested)
        gst_object_unref(bus)
        gst_object_unref(pipeline)
    }
}
