import CGStreamer

extension Buffer {
    /// Number of samples per channel at the start of the decoded buffer that a player must discard.
    ///
    /// Encoders set it for samples that precede the audio, such as the pre-skip of Opus. The corresponding C field is
    /// `start` of `GstAudioClippingMeta`; 0 without this meta or if it has a time.
    public var clippedSamples: UInt64 {
        withUnsafePointer { buffer in
            // libgstaudio registers the type with the first such meta; the bridge does not link it.
            let type = g_type_from_name("GstAudioClippingMetaAPI")
            guard type != cgst_type_invalid(), let meta = gst_buffer_get_meta(buffer, type) else { return 0 }
            let clipping = UnsafeMutableRawPointer(meta).assumingMemoryBound(to: GstAudioClippingMeta.self)
            return clipping.pointee.format == GST_FORMAT_DEFAULT ? UInt64(clipping.pointee.start) : 0
        }
    }
}
