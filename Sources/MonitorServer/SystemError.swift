import Glibc

enum SystemError {
    /// Text of the system for an error number.
    static func text(_ number: CInt) -> String {
        var bytes = [CChar](repeating: 0, count: 128)
        guard unsafe strerror_r(number, &bytes, bytes.count) == 0 else { return "error \(number)" }
        return String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
