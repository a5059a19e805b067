import CGStreamer

// With `interlace-mode=fields` a buffer holds two fields of half the height, the upper and the lower one, and a
// GstVideoMeta for each tells where: identified by 0 and 1.

extension VideoFrame {
    /// Whether the two fields lie apart; their pixels are in `field(_:)`, those of packed formats alone.
    public var hasSeparateFields: Bool {
        format.interlaceMode == .fields && format.planeCount == 1 && format.height > 1 && meta(0) != nil
            && meta(1) != nil
    }

    /// The rows of the upper field (0) or the lower one (1).
    public func fieldHeight(_ field: Int) -> Int { field == 0 ? (format.height + 1) / 2 : format.height / 2 }

    /// The bytes from one row of a field to the next; negative when it is stored upside down.
    public func fieldStride(_ field: Int) -> Int { meta(field).map { Int($0.pointee.stride.0) } ?? 0 }

    /// Where in `field(_:)` the top row begins.
    public func firstRowOffset(ofField field: Int) -> Int { fieldExtent(field)?.firstRow ?? 0 }

    /// The bytes of a field, as `plane(_:)` gives those of a plane.
    @_lifetime(borrow self)
    public func field(_ field: Int) -> MutableSpan<UInt8> {
        let extent = fieldExtent(field)
        let bytes = UnsafeMutableBufferPointer(start: extent?.start, count: extent?.count ?? 0)
        return _overrideLifetime(bytes.mutableSpan, borrowing: self)
    }

    func fieldExtent(_ field: Int) -> Extent? {
        // The frame was mapped by the first meta; the other field is found from there.
        guard let first = meta(0), let wanted = meta(field), let top = cgst_video_frame_plane(raw, 0) else {
            return nil
        }
        let distance = Int(wanted.pointee.offset.0) - Int(first.pointee.offset.0)
        let shape = VideoFormat.PlaneShape(rows: fieldHeight(field), bytesInRow: format.planes[0].bytesInRow)
        return extent(from: top + distance, stride: fieldStride(field), shape, inMemoryOfPlane: 0)
    }

    private func meta(_ field: Int) -> UnsafeMutablePointer<GstVideoMeta>? {
        gst_buffer_get_video_meta_id(raw.pointee.buffer, gint(field))
    }
}
