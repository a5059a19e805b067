import CGStreamer

// With `interlace-mode=fields` a buffer holds two fields of half the height, the upper and the lower one, and a
// GstVideoMeta for each tells where: identified by 0 and 1.

extension VideoFrame {
    /// Whether the two fields lie apart; their pixels are in `field(_:plane:)`.
    public var hasSeparateFields: Bool {
        format.interlaceMode == .fields && format.height > 1 && meta(0) != nil && meta(1) != nil
    }

    /// The rows of the upper field (0) or the lower one (1).
    public func fieldHeight(_ field: Int) -> Int { field == 0 ? (format.height + 1) / 2 : format.height / 2 }

    /// The bytes from one row of a field to the next; negative when it is stored upside down.
    public func stride(ofField field: Int, plane: Int = 0) -> Int {
        guard format.planes.indices.contains(plane), let meta = meta(field) else { return 0 }
        return Int(cgst_video_meta_stride(meta, guint(plane)))
    }

    /// Where in `field(_:plane:)` the top row begins.
    public func firstRowOffset(ofField field: Int, plane: Int = 0) -> Int {
        fieldExtent(field, plane: plane)?.firstRow ?? 0
    }

    /// The bytes of a plane of a field, as `plane(_:)` gives those of a plane.
    @_lifetime(borrow self)
    public func field(_ field: Int, plane: Int = 0) -> MutableSpan<UInt8> {
        let extent = fieldExtent(field, plane: plane)
        let bytes = UnsafeMutableBufferPointer(start: extent?.start, count: extent?.count ?? 0)
        return _overrideLifetime(bytes.mutableSpan, borrowing: self)
    }

    func fieldExtent(_ field: Int, plane: Int) -> Extent? {
        // The frame was mapped by the first meta; the other field is found from there. Its offset was not checked, so
        // the distance wraps round, and counts when it does not leave the memory.
        guard format.planes.indices.contains(plane), let first = meta(0), let wanted = meta(field),
            let top = cgst_video_frame_plane(raw, guint(plane)),
            let memory = cgst_video_frame_map_info(raw, guint(plane))
        else { return nil }
        let distance = Int(
            bitPattern: UInt(
                cgst_video_meta_offset(wanted, guint(plane)) &- cgst_video_meta_offset(first, guint(plane))))
        guard distance.magnitude <= UInt(memory.pointee.size) else { return nil }
        let isHalved = format.planes[plane].rows < format.height
        let rows = isHalved ? (fieldHeight(field) + 1) / 2 : fieldHeight(field)
        let shape = VideoFormat.PlaneShape(rows: rows, bytesInRow: format.planes[plane].bytesInRow)
        return extent(
            from: top + distance, stride: stride(ofField: field, plane: plane), shape, inMemoryOfPlane: plane)
    }

    private func meta(_ field: Int) -> UnsafeMutablePointer<GstVideoMeta>? {
        gst_buffer_get_video_meta_id(raw.pointee.buffer, gint(field))
    }
}
