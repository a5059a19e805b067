import CGStreamer

/// Something that went wrong in an element, in words for the person who runs the pipeline.
///
/// The same value serves as an error, a warning or a notice; see `ElementHost.post`.
/// The corresponding C macro is `GST_ELEMENT_ERROR`.
public struct ElementError: Error, Sendable {
    /// What kind of thing went wrong; applications react to it, people read `text`.
    public enum Kind: Sendable, Equatable {
        case core(CoreProblem)
        case library(LibraryProblem)
        case resource(ResourceProblem)
        case stream(StreamProblem)
    }

    public let kind: Kind
    /// What was wrong, as a sentence for the user.
    public let text: String
    /// Details, and what can be done.
    public let debug: String?
    let file: StaticString
    let line: Int

    public init(
        _ kind: Kind, _ text: String, debug: String? = nil, file: StaticString = #fileID, line: Int = #line
    ) {
        self.kind = kind
        self.text = text
        self.debug = debug
        self.file = file
        self.line = line
    }

    /// A problem of GStreamer's own machinery: states, threads, negotiation.
    public static func core(
        _ problem: CoreProblem, _ text: String, debug: String? = nil, file: StaticString = #fileID, line: Int = #line
    ) -> Self { Self(.core(problem), text, debug: debug, file: file, line: line) }

    /// A problem of a library the element stands on.
    public static func library(
        _ problem: LibraryProblem, _ text: String, debug: String? = nil, file: StaticString = #fileID,
        line: Int = #line
    ) -> Self { Self(.library(problem), text, debug: debug, file: file, line: line) }

    /// A problem of something outside: a file, a device, a network.
    public static func resource(
        _ problem: ResourceProblem, _ text: String, debug: String? = nil, file: StaticString = #fileID,
        line: Int = #line
    ) -> Self { Self(.resource(problem), text, debug: debug, file: file, line: line) }

    /// A problem of the data that flows.
    public static func stream(
        _ problem: StreamProblem, _ text: String, debug: String? = nil, file: StaticString = #fileID,
        line: Int = #line
    ) -> Self { Self(.stream(problem), text, debug: debug, file: file, line: line) }

    /// A setting that cannot be used; short for `.resource(.settings, …)`.
    public static func settings(
        _ text: String, debug: String? = nil, file: StaticString = #fileID, line: Int = #line
    ) -> Self { Self(.resource(.settings), text, debug: debug, file: file, line: line) }
}

extension ElementError: Equatable {
    /// Two errors are equal when a user could not tell them apart; where they were made does not count.
    public static func == (one: Self, other: Self) -> Bool {
        one.kind == other.kind && one.text == other.text && one.debug == other.debug
    }
}

/// The corresponding C type is `GstCoreError`.
public enum CoreProblem: Sendable {
    case failed, notImplemented, stateChange, pad, thread, negotiation, event, seek, caps, missingPlugin, clock,
        disabled
}

/// The corresponding C type is `GstLibraryError`.
public enum LibraryProblem: Sendable {
    case failed, initialize, shutdown, settings, encode
}

/// The corresponding C type is `GstResourceError`.
public enum ResourceProblem: Sendable {
    case failed, notFound, busy, openRead, openWrite, openReadWrite, close, read, write, seek, sync, settings,
        noSpaceLeft, notAuthorized
}

/// The corresponding C type is `GstStreamError`.
public enum StreamProblem: Sendable {
    case failed, notImplemented, typeNotFound, wrongType, codecNotFound, decode, encode, demux, mux, format, decrypt
}
