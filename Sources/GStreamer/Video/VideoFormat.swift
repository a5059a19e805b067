import CGStreamer

/// How buffers store the fields of interlaced video.
///
/// The corresponding C type is `GstVideoInterlaceMode`.
public enum InterlaceMode: Sendable {
    /// Progressive frames.
    case progressive
    /// Two fields per buffer, with alternating rows.
    case interleaved
    /// Flags of each buffer specify whether the frame is interlaced.
    case mixed
    /// Two fields per buffer, stored one after the other.
    case fields
    /// One field per buffer.
    case alternate
}

/// The negotiated format of a video stream.
///
/// The corresponding C type is `GstVideoInfo`.
public struct VideoFormat: Sendable {
    /// GStreamer's name of the pixel layout, such as `BGRx`.
    public let name: String
    /// Width of a frame in pixels.
    public let width: Int
    /// Height of a frame in rows.
    public let height: Int
    /// Number of rows in a buffer: the rows of one field with `alternate`, else the rows of the frame.
    public let rowsInBuffer: Int
    /// Frames per second; 0/1 if the rate is variable.
    public let framerate: (numerator: Int, denominator: Int)
    /// How buffers store the fields of interlaced video.
    public let interlaceMode: InterlaceMode
    /// Range, matrix and chroma siting.
    public let colour: VideoColour
    let planes: [PlaneShape]

    /// Size of a plane: its number of rows, and its bytes per row without padding.
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
