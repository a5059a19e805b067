import CGStreamer

extension Buffer {
    /// Flags of a buffer.
    ///
    /// The corresponding C type is `GstBufferFlags`.
    public struct Flags: OptionSet, Sendable {
        /// The bits of the C constants.
        public let rawValue: UInt32

        /// The flags with the bits of C constants.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        private init(_ flag: GstBufferFlags) { rawValue = flag.rawValue }

        /// `GST_BUFFER_FLAG_DISCONT`: data is missing before this buffer.
        public static let discontinuity = Self(GST_BUFFER_FLAG_DISCONT)
        /// `GST_BUFFER_FLAG_RESYNC`: timestamps may jump, and downstream may resynchronize at this buffer.
        public static let resync = Self(GST_BUFFER_FLAG_RESYNC)
        /// `GST_BUFFER_FLAG_HEADER`: a header that is required to decode the stream.
        public static let header = Self(GST_BUFFER_FLAG_HEADER)
        /// `GST_BUFFER_FLAG_GAP`: neutral data that fills a gap, such as silence.
        public static let gap = Self(GST_BUFFER_FLAG_GAP)
        /// `GST_BUFFER_FLAG_DROPPABLE`: the buffer may be dropped.
        public static let droppable = Self(GST_BUFFER_FLAG_DROPPABLE)
        /// `GST_BUFFER_FLAG_DELTA_UNIT`: the buffer cannot be decoded without preceding buffers.
        public static let deltaUnit = Self(GST_BUFFER_FLAG_DELTA_UNIT)

        /// The flags of a buffer, without those that are not declared here.
        init(of buffer: UnsafeMutablePointer<GstBuffer>) {
            self = Self(rawValue: cgst_buffer_facts(buffer).flags).intersection(.all)
        }

        private static let all: Self = [.discontinuity, .resync, .header, .gap, .droppable, .deltaUnit]
    }

    /// The flags that are set in the buffer, limited to those that `Flags` declares.
    ///
    /// The corresponding C macro is `GST_BUFFER_FLAGS`.
    public var flags: Flags { Flags(of: raw) }

    /// Sets additional flags; the buffer is made writable first.
    ///
    /// The corresponding C function is `gst_buffer_set_flags`.
    public mutating func set(_ flags: Flags) {
        makeWritable()
        gst_buffer_set_flags(raw, GstBufferFlags(rawValue: flags.rawValue))
    }

    /// Clears flags; the buffer is made writable first.
    ///
    /// The corresponding C function is `gst_buffer_unset_flags`.
    public mutating func unset(_ flags: Flags) {
        makeWritable()
        gst_buffer_unset_flags(raw, GstBufferFlags(rawValue: flags.rawValue))
    }

    /// Whether data is missing before this buffer.
    ///
    /// The corresponding C flag is `GST_BUFFER_FLAG_DISCONT`.
    public var isDiscontinuity: Bool { flags.contains(.discontinuity) }
}
