import CGStreamer

/// A problem of an element, with a text for the user.
///
/// The same value can be posted as an error, a warning or an info message; see `ElementHost.post`. The corresponding C
/// macro is `GST_ELEMENT_ERROR`.
public struct ElementError: Error, Sendable {
    /// Domain and code of the error, for applications.
    public enum Kind: Sendable, Equatable {
        /// A problem of GStreamer itself.
        case core(CoreProblem)
        /// A problem of a library.
        case library(LibraryProblem)
        /// A problem with a resource, such as a file, a device or a network.
        case resource(ResourceProblem)
        /// A problem of the data.
        case stream(StreamProblem)
    }

    /// The kind of problem.
    public let kind: Kind
    /// A sentence for the user that describes the problem.
    public let text: String
    /// Details of the problem, and the action to take; nil if there are none.
    public let debug: String?
    let file: StaticString
    let line: Int

    /// An error with a text for the user; `debug` adds details.
    public init(
        _ kind: Kind, _ text: String, debug: String? = nil, file: StaticString = #fileID, line: Int = #line
    ) {
        self.kind = kind
        self.text = text
        self.debug = debug
        self.file = file
        self.line = line
    }

    /// A problem of GStreamer itself, such as state changes, threads or negotiation.
    public static func core(
        _ problem: CoreProblem, _ text: String, debug: String? = nil, file: StaticString = #fileID, line: Int = #line
    ) -> Self { Self(.core(problem), text, debug: debug, file: file, line: line) }

    /// A problem of a library that the element uses.
    public static func library(
        _ problem: LibraryProblem, _ text: String, debug: String? = nil, file: StaticString = #fileID,
        line: Int = #line
    ) -> Self { Self(.library(problem), text, debug: debug, file: file, line: line) }

    /// A problem with a resource, such as a file, a device or a network.
    public static func resource(
        _ problem: ResourceProblem, _ text: String, debug: String? = nil, file: StaticString = #fileID,
        line: Int = #line
    ) -> Self { Self(.resource(problem), text, debug: debug, file: file, line: line) }

    /// A problem of the stream data.
    public static func stream(
        _ problem: StreamProblem, _ text: String, debug: String? = nil, file: StaticString = #fileID,
        line: Int = #line
    ) -> Self { Self(.stream(problem), text, debug: debug, file: file, line: line) }

    /// A property value that cannot be used; short for `.resource(.settings, …)`.
    public static func settings(
        _ text: String, debug: String? = nil, file: StaticString = #fileID, line: Int = #line
    ) -> Self { Self(.resource(.settings), text, debug: debug, file: file, line: line) }
}

extension ElementError: Equatable {
    /// Errors are equal if kind and texts are equal; the source location is ignored.
    public static func == (one: Self, other: Self) -> Bool {
        one.kind == other.kind && one.text == other.text && one.debug == other.debug
    }
}

/// A problem of GStreamer itself, such as state changes, threads or negotiation.
///
/// The corresponding C type is `GstCoreError`.
public enum CoreProblem: Sendable {
    /// `GST_CORE_ERROR_FAILED`.
    case failed
    /// `GST_CORE_ERROR_NOT_IMPLEMENTED`.
    case notImplemented
    /// `GST_CORE_ERROR_STATE_CHANGE`.
    case stateChange
    /// `GST_CORE_ERROR_PAD`.
    case pad
    /// `GST_CORE_ERROR_THREAD`.
    case thread
    /// `GST_CORE_ERROR_NEGOTIATION`.
    case negotiation
    /// `GST_CORE_ERROR_EVENT`.
    case event
    /// `GST_CORE_ERROR_SEEK`.
    case seek
    /// `GST_CORE_ERROR_CAPS`.
    case caps
    /// `GST_CORE_ERROR_MISSING_PLUGIN`.
    case missingPlugin
    /// `GST_CORE_ERROR_CLOCK`.
    case clock
    /// `GST_CORE_ERROR_DISABLED`.
    case disabled
}

/// A problem of a library that the element uses.
///
/// The corresponding C type is `GstLibraryError`.
public enum LibraryProblem: Sendable {
    /// `GST_LIBRARY_ERROR_FAILED`.
    case failed
    /// `GST_LIBRARY_ERROR_INIT`.
    case initialize
    /// `GST_LIBRARY_ERROR_SHUTDOWN`.
    case shutdown
    /// `GST_LIBRARY_ERROR_SETTINGS`.
    case settings
    /// `GST_LIBRARY_ERROR_ENCODE`.
    case encode
}

/// A problem with a resource outside the process, such as a file, a device or a network.
///
/// The corresponding C type is `GstResourceError`.
public enum ResourceProblem: Sendable {
    /// `GST_RESOURCE_ERROR_FAILED`.
    case failed
    /// `GST_RESOURCE_ERROR_NOT_FOUND`.
    case notFound
    /// `GST_RESOURCE_ERROR_BUSY`.
    case busy
    /// `GST_RESOURCE_ERROR_OPEN_READ`.
    case openRead
    /// `GST_RESOURCE_ERROR_OPEN_WRITE`.
    case openWrite
    /// `GST_RESOURCE_ERROR_OPEN_READ_WRITE`.
    case openReadWrite
    /// `GST_RESOURCE_ERROR_CLOSE`.
    case close
    /// `GST_RESOURCE_ERROR_READ`.
    case read
    /// `GST_RESOURCE_ERROR_WRITE`.
    case write
    /// `GST_RESOURCE_ERROR_SEEK`.
    case seek
    /// `GST_RESOURCE_ERROR_SYNC`.
    case sync
    /// `GST_RESOURCE_ERROR_SETTINGS`.
    case settings
    /// `GST_RESOURCE_ERROR_NO_SPACE_LEFT`.
    case noSpaceLeft
    /// `GST_RESOURCE_ERROR_NOT_AUTHORIZED`.
    case notAuthorized
}

/// A problem of the stream data.
///
/// The corresponding C type is `GstStreamError`.
public enum StreamProblem: Sendable {
    /// `GST_STREAM_ERROR_FAILED`.
    case failed
    /// `GST_STREAM_ERROR_NOT_IMPLEMENTED`.
    case notImplemented
    /// `GST_STREAM_ERROR_TYPE_NOT_FOUND`.
    case typeNotFound
    /// `GST_STREAM_ERROR_WRONG_TYPE`.
    case wrongType
    /// `GST_STREAM_ERROR_CODEC_NOT_FOUND`.
    case codecNotFound
    /// `GST_STREAM_ERROR_DECODE`.
    case decode
    /// `GST_STREAM_ERROR_ENCODE`.
    case encode
    /// `GST_STREAM_ERROR_DEMUX`.
    case demux
    /// `GST_STREAM_ERROR_MUX`.
    case mux
    /// `GST_STREAM_ERROR_FORMAT`.
    case format
    /// `GST_STREAM_ERROR_DECRYPT`.
    case decrypt
}
