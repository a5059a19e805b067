import CGStreamer

// The sink pads of a `VideoAggregator` are of a class of their own, with the properties of its `PadSettings`.

/// Registers the class of the sink pads of `E`, whose name is that of the element with the suffix `Pad`.
func registerAggregatorPad<E: VideoAggregator & ~Copyable>(of _: E.Type) -> GType? {
    let rows = E.PadSettings.properties
    return ObjectType.register(
        AggregatorPadClass<E>.self, below: gst_video_aggregator_parallel_convert_pad_get_type(), rows: rows,
        initClass: setAggregatorPadMethods, makeInstance: { AggregatorPadInstance($0, $1, rows) })
}

/// Declares the class; its instances are values of `AggregatorPadInstance`.
private struct AggregatorPadClass<E: VideoAggregator & ~Copyable>: Object {
    typealias Settings = E.PadSettings
    static var typeName: String { "\(E.typeName)Pad" }
}

/// The Swift object of a sink pad of a `VideoAggregator`.
final class AggregatorPadInstance<Settings: ElementSettings>: Instance where Settings.Report == NoReport {
    let store: PropertyStoreOf<Settings>

    init(_ raw: UnsafeMutableRawPointer, _ type: ObjectType, _ rows: [Property<Settings>]) {
        store = PropertyStoreOf(rows, host: ObjectHost(raw: raw), report: NoReport())
        super.init(type, store)
    }
}

extension GstVideoAggregatorConvertPad: ClassInstance { typealias Class = GstVideoAggregatorConvertPadClass }

private func setAggregatorPadMethods(_ gClass: UnsafeMutableRawPointer) {
    let pad = gClass.assumingMemoryBound(to: GstVideoAggregatorConvertPadClass.self)
    pad.pointee.create_conversion_info = { pad, aggregator, info in
        guard let pad, let aggregator, let info else { return }
        parentClass(of: pad)?.pointee.create_conversion_info?(pad, aggregator, info)
        // GstVideoAggregator keeps the frames of a pad whose caps it refused, and crashes unless this field is NULL.
        guard info.pointee.width > 0 else {
            info.pointee.finfo = nil
            return
        }
        let output = aggregator.pointee.info
        // The base class converts only the format and the colours.
        guard info.pointee.width != output.width || info.pointee.height != output.height else { return }
        let input = pad.pointee.parent.info
        info.pointee = output
        // GstVideoConverter requires these fields to be those of the input.
        (info.pointee.fps_n, info.pointee.fps_d) = (input.fps_n, input.fps_d)
        (info.pointee.interlace_mode, info.pointee.flags) = (input.interlace_mode, input.flags)
    }
}
