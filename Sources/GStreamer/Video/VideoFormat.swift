import CGStreamer

/// How the fields of a stream's frames are stored.
///
/// The corresponding C type is `GstVideoInterlaceMode`.
public enum InterlaceMode: Sendable {
    /// Whole frames.
    case progressive
    /// Two fields in each buffer, row by row.
    case interleaved
    /// Each buffer says for itself whether it is interlaced.
    case mixed
    /// Two fields in each buffer, each a frame of its own.
    case fields
    /// One field in each buffer.
    case alternate
}

/// Which field of a frame comes first in time, as the caps say it; buffers may say it too.
///
/// The corresponding C type is `GstVideoFieldOrder`.
public enum FieldOrder: Sendable {
    /// The caps do not say.
    case unknown
    /// The top field.
    case topFirst
    /// The bottom field.
    case bottomFirst
}

/// The agreed format of a video stream.
///
/// The corresponding C type is `GstVideoInfo`.
public struct VideoFormat: Sendable {
    /// GStreamer's name of the pixel layout, such as `BGRx`.
    public let name: String
    /// The columns of a frame.
    public let width: Int
    /// The rows of a whole frame.
    public let height: Int
    /// The rows in one buffer: those of one field with `alternate`, of the whole frame otherwise.
    public let rowsInBuffer: Int
    /// Frames per second; 0/1 when there is no fixed rate.
    public let framerate: (numerator: Int, denominator: Int)
    /// How fields are stored.
    public let interlaceMode: InterlaceMode
    /// Which field comes first.
    public let fieldOrder: FieldOrder
    /// The range and the matrix of the numbers.
    public let colour: VideoColour
    let planes: [PlaneShape]

    /// The size of a plane's pixels, whatever the stride.
    struct PlaneShape: Sendable {
        let rows: Int
        let bytesInRow: Int
    }

    /// The number of planes.
    public var planeCount: Int { planes.count }

    init(_ info: UnsafePointer<GstVideoInfo>) {
        name = String(cString: cgst_video_info_name(info))
        width = Int(info.pointee.width)
        height = Int(info.pointee.height)
        rowsInBuffer = Int(cgst_video_info_field_height(info))
        framerate = (Int(info.pointee.fps_n), Int(info.pointee.fps_d))
        interlaceMode = InterlaceMode(info.pointee.interlace_mode)
        fieldOrder = FieldOrder(cgst_video_info_field_order(info))
        colour = VideoColour(info)
        planes = (0..<cgst_video_info_plane_count(info)).map {
            PlaneShape(
                rows: Int(cgst_video_info_plane_rows(info, $0)),
                bytesInRow: Int(cgst_video_info_plane_row_bytes(info, $0)))
        }
    }
}

extension InterlaceMode {
    fileprivate init(_ mode: GstVideoInterlaceMode) {
        switch mode {
        case GST_VIDEO_INTERLACE_MODE_INTERLEAVED: self = .interleaved
        case GST_VIDEO_INTERLACE_MODE_MIXED: self = .mixed
        case GST_VIDEO_INTERLACE_MODE_FIELDS: self = .fields
        case GST_VIDEO_INTERLACE_MODE_ALTERNATE: self = .alternate
        default: self = .progressive
        }
    }
}

extension FieldOrder {
    fileprivate init(_ order: GstVideoFieldOrder) {
        switch order {
        case GST_VIDEO_FIELD_ORDER_TOP_FIELD_FIRST: self = .topFirst
        case GST_VIDEO_FIELD_ORDER_BOTTOM_FIELD_FIRST: self = .bottomFirst
        default: self = .unknown
        }
    }
}
