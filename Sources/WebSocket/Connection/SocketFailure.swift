import CGIO

struct SocketFailure: Error {
    let reason: String
    /// Whether the operation would have blocked, or continues in the background.
    let isPending: Bool

    /// Takes ownership of the error.
    init(_ error: UnsafeMutablePointer<GError>?) {
        guard let error else {
            reason = "unknown error"
            isPending = false
            return
        }
        defer { g_error_free(error) }
        reason = String(cString: error.pointee.message)
        let quark = g_io_error_quark()
        isPending = [G_IO_ERROR_WOULD_BLOCK, G_IO_ERROR_PENDING].contains {
            g_error_matches(error, quark, CInt($0.rawValue)) != 0
        }
    }
}
