import Glibc
import Threads

/// Records texts in the order in which threads add them.
final class Recorder: Sendable {
    private let texts = Mutex<[String]>([])

    var all: [String] { texts.withLock { $0 } }

    func add(_ text: String) { texts.withLock { $0.append(text) } }
}

/// A barrier that blocks threads in `pass` until `open` is called.
final class Barrier: Sendable {
    private let isOpen = Monitor(false, conditions: 1)

    func open() {
        isOpen.change { now in
            now = true
            isOpen.mutex.wake(0)
        }
    }

    func pass() {
        isOpen.await { isOpen -> Monitor<Bool>.Step<Void> in isOpen ? .done(()) : .wait(0, until: nil) }
    }
}

/// The name of the calling thread, read from `/proc`.
func threadName() -> String {
    guard let file = fopen("/proc/thread-self/comm", "r") else { return "" }
    defer { fclose(file) }
    var bytes = [CChar](repeating: 0, count: 64)
    guard fgets(&bytes, CInt(bytes.count), file) != nil else { return "" }
    return String(decoding: bytes.prefix { $0 != 10 && $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
