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
    /// `GST_CORE_ERROR_FAILED`: any other problem.
    case failed
    /// `GST_CORE_ERROR_NOT_IMPLEMENTED`: a function that does not exist yet.
    case notImplemented
    /// `GST_CORE_ERROR_STATE_CHANGE`: a state change that failed.
    case stateChange
    /// `GST_CORE_ERROR_PAD`: a problem of pads or their links.
    case pad
    /// `GST_CORE_ERROR_THREAD`: a thread that could not be made, or failed.
    case thread
    /// `GST_CORE_ERROR_NEGOTIATION`: no caps or allocation that both sides accept.
    case negotiation
    /// `GST_CORE_ERROR_EVENT`: an event that could not be handled.
    case event
    /// `GST_CORE_ERROR_SEEK`: a seek that failed.
    case seek
    /// `GST_CORE_ERROR_CAPS`: caps that are not valid or not complete.
    case caps
    /// `GST_CORE_ERROR_MISSING_PLUGIN`: an element that no installed plugin has.
    case missingPlugin
    /// `GST_CORE_ERROR_CLOCK`: no clock, or one that failed.
    case clock
    /// `GST_CORE_ERROR_DISABLED`: a function that this build does not have.
    case disabled
}

/// A problem of a library that the element uses.
///
/// The corresponding C type is `GstLibraryError`.
public enum LibraryProblem: Sendable {
    /// `GST_LIBRARY_ERROR_FAILED`: any other problem.
    case failed
    /// `GST_LIBRARY_ERROR_INIT`: the library could not be initialized.
    case initialize
    /// `GST_LIBRARY_ERROR_SHUTDOWN`: the library could not be closed.
    case shutdown
    /// `GST_LIBRARY_ERROR_SETTINGS`: the library rejected a setting.
    case settings
    /// `GST_LIBRARY_ERROR_ENCODE`: the library could not encode.
    case encode
}

/// A problem with a resource outside the process, such as a file, a device or a network.
///
/// The corresponding C type is `GstResourceError`.
public enum ResourceProblem: Sendable {
    /// `GST_RESOURCE_ERROR_FAILED`: any other problem.
    case failed
    /// `GST_RESOURCE_ERROR_NOT_FOUND`: the resource does not exist.
    case notFound
    /// `GST_RESOURCE_ERROR_BUSY`: the resource is in use.
    case busy
    /// `GST_RESOURCE_ERROR_OPEN_READ`: the resource could not be opened to read.
    case openRead
    /// `GST_RESOURCE_ERROR_OPEN_WRITE`: the resource could not be opened to write.
    case openWrite
    /// `GST_RESOURCE_ERROR_OPEN_READ_WRITE`: the resource could not be opened to read and write.
    case openReadWrite
    /// `GST_RESOURCE_ERROR_CLOSE`: the resource could not be closed.
    case close
    /// `GST_RESOURCE_ERROR_READ`: data could not be read.
    case read
    /// `GST_RESOURCE_ERROR_WRITE`: data could not be written.
    case write
    /// `GST_RESOURCE_ERROR_SEEK`: the position could not be changed.
    case seek
    /// `GST_RESOURCE_ERROR_SYNC`: data could not be synchronized with the device.
    case sync
    /// `GST_RESOURCE_ERROR_SETTINGS`: a setting of the resource could not be read or changed.
    case settings
    /// `GST_RESOURCE_ERROR_NO_SPACE_LEFT`: there is no space or memory left.
    case noSpaceLeft
    /// `GST_RESOURCE_ERROR_NOT_AUTHORIZED`: the process has no permission.
    case notAuthorized
}

/// A problem of the stream data.
///
/// The corresponding C type is `GstStreamError`.
public enum StreamProblem: Sendable {
    /// `GST_STREAM_ERROR_FAILED`: any other problem.
    case failed
    /// `GST_STREAM_ERROR_NOT_IMPLEMENTED`: a kind of stream that the element does not support.
    case notImplemented
    /// `GST_STREAM_ERROR_TYPE_NOT_FOUND`: the type of the stream is unknown.
    case typeNotFound
    /// `GST_STREAM_ERROR_WRONG_TYPE`: the element does not handle this type of stream.
    case wrongType
    /// `GST_STREAM_ERROR_CODEC_NOT_FOUND`: no decoder or encoder is known for the stream.
    case codecNotFound
    /// `GST_STREAM_ERROR_DECODE`: the data could not be decoded.
    case decode
    /// `GST_STREAM_ERROR_ENCODE`: the data could not be encoded.
    case encode
    /// `GST_STREAM_ERROR_DEMUX`: the streams could not be separated.
    case demux
    /// `GST_STREAM_ERROR_MUX`: the streams could not be combined.
    case mux
    /// `GST_STREAM_ERROR_FORMAT`: the format of the data is not valid.
    case format
    /// `GST_STREAM_ERROR_DECRYPT`: the data could not be decrypted.
    case decrypt
}
