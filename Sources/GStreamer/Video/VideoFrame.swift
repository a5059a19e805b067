import CGStreamer

/// A mapped, writable video frame, valid only during the call that receives it.
///
/// The corresponding C type is `GstVideoFrame`.
public struct VideoFrame: ~Copyable {
    let raw: UnsafeMutablePointer<GstVideoFrame>
    /// The negotiated format.
    public let format: VideoFormat

    /// Wraps a mapped frame; nil if rows of its buffer overlap or exceed the memory.
    init?(_ raw: UnsafeMutablePointer<GstVideoFrame>, format: VideoFormat) {
        self.raw = raw
        self.format = format
        guard hasSeparateFields else {
            guard hasPlanes else { return nil }
            return
        }
        for field in 0..<2 {
            for plane in format.planes.indices where fieldExtent(field, plane: plane) == nil { return nil }
        }
    }

    /// Whether the memory contains all rows of each plane, so that `plane(_:)` has them.
    var hasPlanes: Bool {
        for plane in format.planes.indices where extent(ofPlane: plane) == nil { return false }
        return true
    }

    /// Width of the frame in pixels.
    public var width: Int { format.width }
    /// Number of rows in this buffer: the rows of one field with `interlace-mode=alternate`.
    public var height: Int { format.rowsInBuffer }

    // MARK: Time

    /// Presentation timestamp, in the time of the segment; nil if the buffer has none.
    public var pts: Duration? { Duration(raw.pointee.buffer.pointee.pts) }

    // MARK: Fields

    /// Whether this frame is interlaced; with `interlace-mode=mixed`, each buffer has a flag for this.
    public var isInterlaced: Bool { frameFlag(GST_VIDEO_FRAME_FLAG_INTERLACED) }

    /// Whether the buffer contains only one field.
    ///
    /// The flag is read from the buffer: GstVideoFrame drops this flag if the caps have `field-order=top-field-first`.
    public var isOneField: Bool {
        guard isInterlaced else { return false }
        return format.interlaceMode == .alternate || bufferFlag(GST_VIDEO_BUFFER_FLAG_ONEFIELD)
    }

    /// Whether the top field is first; for a buffer with one field, whether it is the top field.
    public var isTopFieldFirst: Bool {
        guard isInterlaced else { return false }
        return isOneField ? bufferFlag(GST_VIDEO_BUFFER_FLAG_TFF) : frameFlag(GST_VIDEO_FRAME_FLAG_TFF)
    }

    private func frameFlag(_ flag: GstVideoFrameFlags) -> Bool {
        (raw.pointee.flags.rawValue & flag.rawValue) != 0
    }

    private func bufferFlag(_ flag: GstVideoBufferFlags) -> Bool {
        (raw.pointee.buffer.pointee.mini_object.flags & flag.rawValue) != 0
    }

    // MARK: Pixels

    /// Distance in bytes from one row of a plane to the next; negative if the rows are stored bottom up.
    ///
    /// In all functions for pixels, `field` selects the upper (0) or the lower (1) of two separately stored fields.
    public func stride(ofPlane plane: Int = 0, field: Int? = nil) -> Int {
        guard format.planes.indices.contains(plane) else { return 0 }
        guard let field else { return Int(cgst_video_frame_stride(raw, guint(plane))) }
        return meta(field).map { Int(cgst_video_meta_stride($0, guint(plane))) } ?? 0
    }

    /// Offset of the top row in `plane(_:ofField:)`; not 0 if the stride is negative.
    public func firstRowOffset(ofPlane plane: Int = 0, field: Int? = nil) -> Int {
        extent(ofPlane: plane, field)?.firstRow ?? 0
    }

    /// The bytes of a plane, from the row at the lowest address to the last pixel of the row at the highest address.
    ///
    /// The padding after the last pixel is excluded. The span is empty if the plane does not exist.
    @_lifetime(borrow self)
    public func plane(_ plane: Int = 0, ofField field: Int? = nil) -> MutableSpan<UInt8> {
        let extent = extent(ofPlane: plane, field)
        let bytes = UnsafeMutableBufferPointer(start: extent?.start, count: extent?.count ?? 0)
        return _overrideLifetime(bytes.mutableSpan, borrowing: self)
    }

    /// The bytes of `plane(_:)`, for reading.
    @_lifetime(borrow self)
    func bytes(ofPlane plane: Int) -> Span<UInt8> {
        let extent = extent(ofPlane: plane)
        let bytes = UnsafeBufferPointer(start: extent?.start, count: extent?.count ?? 0)
        return _overrideLifetime(bytes.span, borrowing: self)
    }

    /// Location of the rows of a plane in memory.
    struct Extent {
        let start: UnsafeMutablePointer<UInt8>
        let count: Int
        let firstRow: Int
    }

    /// Location of a plane; nil if its rows overlap or exceed the mapped memory.
    private func extent(ofPlane plane: Int, _ field: Int? = nil) -> Extent? {
        if let field { return fieldExtent(field, plane: plane) }
        guard format.planes.indices.contains(plane), let top = cgst_video_frame_plane(raw, guint(plane)) else {
            return nil
        }
        return extent(
            from: top, stride: Int(cgst_video_frame_stride(raw, guint(plane))), format.planes[plane],
            inMemoryOfPlane: plane)
    }

    /// Location of rows; nil if the rows overlap or exceed the mapped memory, as with an invalid stride.
    func extent(
        from top: UnsafeMutablePointer<UInt8>, stride: Int, _ shape: VideoFormat.PlaneShape, inMemoryOfPlane plane: Int
    ) -> Extent? {
        guard let memory = cgst_video_frame_map_info(raw, guint(plane)), let memoryStart = memory.pointee.data else {
            return nil
        }
        // Strides and sizes are 32-bit in GstVideoInfo, so their product fits in an `Int`.
        let span = (shape.rows - 1) * stride
        let count = abs(span) + shape.bytesInRow
        let offsetInMemory = (UnsafePointer(top) - UnsafePointer(memoryStart)) + min(span, 0)
        // Overlapping rows are rejected, because they would be processed twice.
        guard shape.rows > 0, shape.rows == 1 || abs(stride) >= shape.bytesInRow,
            offsetInMemory >= 0, offsetInMemory + count <= Int(memory.pointee.size)
        else { return nil }
        return Extent(start: top + min(span, 0), count: count, firstRow: max(-span, 0))
    }
}

extension ElementError {
    /// Rows of a frame overlap or exceed its memory; `consequence` is the end of the sentence.
    static func frameExceedsMemory(_ consequence: String = "") -> Self {
        .stream(
            .format, "The metadata of a video frame exceed its memory\(consequence).",
            debug: "The strides and offsets of its GstVideoMeta do not fit its memory. "
                + "Check the element that allocated the buffer.")
    }
}
