import CGStreamer

/// A mapped, writable video frame, valid only during the call that receives it.
///
/// The corresponding C type is `GstVideoFrame`.
public struct VideoFrame: ~Copyable {
    let raw: UnsafeMutablePointer<GstVideoFrame>
    /// The format that was agreed when the element was configured.
    public let format: VideoFormat

    /// Nil when the buffer is smaller than its own description says.
    init?(_ raw: UnsafeMutablePointer<GstVideoFrame>, format: VideoFormat) {
        self.raw = raw
        self.format = format
        guard !hasSeparateFields else {
            for field in 0..<2 {
                for plane in format.planes.indices where fieldExtent(field, plane: plane) == nil { return nil }
            }
            return
        }
        for plane in format.planes.indices where extent(ofPlane: plane) == nil { return nil }
    }

    /// The columns of the frame.
    public var width: Int { format.width }
    /// The rows in this buffer: those of one field with `interlace-mode=alternate`.
    public var height: Int { format.rowsInBuffer }

    // MARK: Time

    /// When the frame is shown, in nanoseconds of the stream's own time; nil when the buffer has no timestamp.
    public var pts: UInt64? { timestamp(raw.pointee.buffer.pointee.pts) }
    /// How long the frame is shown, in nanoseconds.
    public var duration: UInt64? { timestamp(raw.pointee.buffer.pointee.duration) }

    private func timestamp(_ time: GstClockTime) -> UInt64? {
        UInt64(time) == .max ? nil : UInt64(time)
    }

    // MARK: Fields

    /// Whether this frame is interlaced; with `interlace-mode=mixed` each buffer says so.
    public var isInterlaced: Bool { frameFlag(GST_VIDEO_FRAME_FLAG_INTERLACED) }

    /// Whether the buffer holds one field alone.
    ///
    /// GstVideoFrame forgets this when the caps say `field-order=top-field-first`, so it is read from the buffer.
    public var isOneField: Bool {
        guard isInterlaced else { return false }
        return format.interlaceMode == .alternate || bufferFlag(GST_VIDEO_BUFFER_FLAG_ONEFIELD)
    }

    /// Whether the top field comes first; of a buffer with one field, whether it is the top one.
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

    /// The bytes from one row of a plane to the next below it; negative when the picture is stored upside down.
    public func stride(ofPlane plane: Int = 0) -> Int {
        format.planes.indices.contains(plane) ? Int(cgst_video_frame_stride(raw, guint(plane))) : 0
    }

    /// Where in `plane(_:)` the top row begins; not 0 when the stride is negative.
    public func firstRowOffset(ofPlane plane: Int = 0) -> Int { extent(ofPlane: plane)?.firstRow ?? 0 }

    /// The bytes of a plane, from the row that lies lowest in memory to the last pixel of the one that lies highest.
    ///
    /// The padding after that last pixel is not part of it. A plane that is not there is empty.
    @_lifetime(borrow self)
    public func plane(_ plane: Int = 0) -> MutableSpan<UInt8> {
        let extent = extent(ofPlane: plane)
        let bytes = UnsafeMutableBufferPointer(start: extent?.start, count: extent?.count ?? 0)
        return _overrideLifetime(bytes.mutableSpan, borrowing: self)
    }

    /// Where rows lie in memory.
    struct Extent {
        let start: UnsafeMutablePointer<UInt8>
        let count: Int
        let firstRow: Int
    }

    /// Where a plane lies, or nil when it does not lie in the mapped memory.
    private func extent(ofPlane plane: Int) -> Extent? {
        guard format.planes.indices.contains(plane), let top = cgst_video_frame_plane(raw, guint(plane)) else {
            return nil
        }
        return extent(
            from: top, stride: Int(cgst_video_frame_stride(raw, guint(plane))), format.planes[plane],
            inMemoryOfPlane: plane)
    }

    /// Where rows lie; nil when they do not lie in the mapped memory, since the buffer's strides may be wrong.
    func extent(
        from top: UnsafeMutablePointer<UInt8>, stride: Int, _ shape: VideoFormat.PlaneShape, inMemoryOfPlane plane: Int
    ) -> Extent? {
        guard let memory = cgst_video_frame_map_info(raw, guint(plane)), let memoryStart = memory.pointee.data else {
            return nil
        }
        // Strides and sizes are 32-bit in GstVideoInfo, so their product fits.
        let span = (shape.rows - 1) * stride
        let count = abs(span) + shape.bytesInRow
        let offsetInMemory = (UnsafePointer(top) - UnsafePointer(memoryStart)) + min(span, 0)
        // Rows that overlap would be changed twice.
        guard shape.rows > 0, shape.rows == 1 || abs(stride) >= shape.bytesInRow,
            offsetInMemory >= 0, offsetInMemory + count <= Int(memory.pointee.size)
        else { return nil }
        return Extent(start: top + min(span, 0), count: count, firstRow: max(-span, 0))
    }
}
