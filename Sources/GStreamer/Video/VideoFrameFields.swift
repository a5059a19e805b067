import CGStreamer

// With `interlace-mode=fields`, a buffer contains two fields of half the height. The GstVideoMeta with id 0 describes
// the upper field, and the GstVideoMeta with id 1 the lower field.

extension VideoFrame {
    /// Whether the buffer stores two separate fields, which `field` selects.
    public var hasSeparateFields: Bool {
        format.interlaceMode == .fields && format.height > 1 && meta(0) != nil && meta(1) != nil
    }

    /// Number of rows of the upper field (0) or of the lower field (1).
    public func fieldHeight(_ field: Int) -> Int { field == 0 ? (format.height + 1) / 2 : format.height / 2 }

    func fieldExtent(_ field: Int, plane: Int) -> Extent? {
        // The frame was mapped with the first meta, so the lower field is found by its distance from the upper field.
        // Offsets in metas are not validated, so the difference wraps and is checked against the size of the memory.
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
            from: top + distance, stride: stride(ofPlane: plane, field: field), shape, inMemoryOfPlane: plane)
    }

    func meta(_ field: Int) -> UnsafeMutablePointer<GstVideoMeta>? {
        gst_buffer_get_video_meta_id(raw.pointee.buffer, gint(field))
    }
}
