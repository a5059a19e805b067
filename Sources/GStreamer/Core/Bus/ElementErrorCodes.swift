import CGStreamer

extension ElementError.Kind {
    var domainAndCode: (GQuark, gint) {
        switch self {
        case .core(let problem): (gst_core_error_quark(), gint(problem.code.rawValue))
        case .library(let problem): (gst_library_error_quark(), gint(problem.code.rawValue))
        case .resource(let problem): (gst_resource_error_quark(), gint(problem.code.rawValue))
        case .stream(let problem): (gst_stream_error_quark(), gint(problem.code.rawValue))
        }
    }
}

extension CoreProblem {
    fileprivate var code: GstCoreError {
        switch self {
        case .failed: GST_CORE_ERROR_FAILED
        case .notImplemented: GST_CORE_ERROR_NOT_IMPLEMENTED
        case .stateChange: GST_CORE_ERROR_STATE_CHANGE
        case .pad: GST_CORE_ERROR_PAD
        case .thread: GST_CORE_ERROR_THREAD
        case .negotiation: GST_CORE_ERROR_NEGOTIATION
        case .event: GST_CORE_ERROR_EVENT
        case .seek: GST_CORE_ERROR_SEEK
        case .caps: GST_CORE_ERROR_CAPS
        case .missingPlugin: GST_CORE_ERROR_MISSING_PLUGIN
        case .clock: GST_CORE_ERROR_CLOCK
        case .disabled: GST_CORE_ERROR_DISABLED
        }
    }
}

extension LibraryProblem {
    fileprivate var code: GstLibraryError {
        switch self {
        case .failed: GST_LIBRARY_ERROR_FAILED
        case .initialize: GST_LIBRARY_ERROR_INIT
        case .shutdown: GST_LIBRARY_ERROR_SHUTDOWN
        case .settings: GST_LIBRARY_ERROR_SETTINGS
        case .encode: GST_LIBRARY_ERROR_ENCODE
        }
    }
}

extension ResourceProblem {
    fileprivate var code: GstResourceError {
        switch self {
        case .failed: GST_RESOURCE_ERROR_FAILED
        case .notFound: GST_RESOURCE_ERROR_NOT_FOUND
        case .busy: GST_RESOURCE_ERROR_BUSY
        case .openRead: GST_RESOURCE_ERROR_OPEN_READ
        case .openWrite: GST_RESOURCE_ERROR_OPEN_WRITE
        case .openReadWrite: GST_RESOURCE_ERROR_OPEN_READ_WRITE
        case .close: GST_RESOURCE_ERROR_CLOSE
        case .read: GST_RESOURCE_ERROR_READ
        case .write: GST_RESOURCE_ERROR_WRITE
        case .seek: GST_RESOURCE_ERROR_SEEK
        case .sync: GST_RESOURCE_ERROR_SYNC
        case .settings: GST_RESOURCE_ERROR_SETTINGS
        case .noSpaceLeft: GST_RESOURCE_ERROR_NO_SPACE_LEFT
        case .notAuthorized: GST_RESOURCE_ERROR_NOT_AUTHORIZED
        }
    }
}

extension StreamProblem {
    fileprivate var code: GstStreamError {
        switch self {
        case .failed: GST_STREAM_ERROR_FAILED
        case .notImplemented: GST_STREAM_ERROR_NOT_IMPLEMENTED
        case .typeNotFound: GST_STREAM_ERROR_TYPE_NOT_FOUND
        case .wrongType: GST_STREAM_ERROR_WRONG_TYPE
        case .codecNotFound: GST_STREAM_ERROR_CODEC_NOT_FOUND
        case .decode: GST_STREAM_ERROR_DECODE
        case .encode: GST_STREAM_ERROR_ENCODE
        case .demux: GST_STREAM_ERROR_DEMUX
        case .mux: GST_STREAM_ERROR_MUX
        case .format: GST_STREAM_ERROR_FORMAT
        case .decrypt: GST_STREAM_ERROR_DECRYPT
        }
    }
}
