import CGStreamer

extension Buffer {
    /// Number of samples per channel at the start of the decoded buffer that a player must discard.
    ///
    /// Encoders set it for samples that precede the audio, such as the pre-skip of Opus. The corresponding C field is
    /// `start` of `GstAudioClippingMeta`; 0 without this meta or if it has a time.
    public var clippedSamples: UInt64 {
        withUnsafePointer { buffer in
            var state: gpointer?
            while let meta = gst_buffer_iterate_meta(buffer, &state) {
                // The bridge does not link libgstaudio, which has the type. Unlike a search by name, this takes no lock.
                guard strcmp(g_type_name(meta.pointee.info.pointee.api), "GstAudioClippingMetaAPI") == 0 else {
                    continue
                }
                let clipping = UnsafeMutableRawPointer(meta).assumingMemoryBound(to: GstAudioClippingMeta.self)
                return clipping.pointee.format == GST_FORMAT_DEFAULT ? UInt64(clipping.pointee.start) : 0
            }
            return 0
        }
    }
}
