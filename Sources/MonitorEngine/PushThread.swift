import Glibc
import struct Synchronization.Atomic

/// A thread that pushes frames, and its pushes that have not returned.
///
/// Only the thread itself accesses its pushes. The object is created at the first hook of a thread. After this thread
/// ends, another thread reuses the object.
final class PushThread: @unchecked Sendable {  // The stack belongs to its thread; the rest is atomic.
    /// A push that has not returned.
    private struct Push {
        var pad: UInt
        var peer: UInt
        var start: UInt64
        /// Time in nested pushes, in nanoseconds.
        var inner: UInt64
    }

    private static let deepest = 64

    /// Number of times that the thread has entered or left a hook; odd while the thread is in a hook.
    private let hook = Atomic<UInt64>(0)
    private let isTaken = Atomic<Bool>(true)
    private let pushes = UnsafeMutablePointer<Push>.allocate(capacity: PushThread.deepest)
    private var depth = 0

    // MARK: The threads

    /// The thread that was added last, the head of the list of all threads; threads are never freed.
    private static let newest = Atomic<Unmanaged<PushThread>?>(nil)
    /// The thread that was added before this one, and the next in the list; set before this object is in the list.
    private var older: Unmanaged<PushThread>?

    private static var all: some Sequence<PushThread> {
        // Loads here and in `TracedPads` have one order: a thread that is not found here cannot load a removed tap.
        sequence(state: newest.load(ordering: .sequentiallyConsistent)) { next in
            let thread = next?.takeUnretainedValue()
            next = thread?.older
            return thread
        }
    }

    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        let ended: @convention(c) (UnsafeMutableRawPointer?) -> Void = { thread in
            guard let thread else { return }
            Unmanaged<PushThread>.fromOpaque(thread)._withUnsafeGuaranteedRef { $0.end() }
        }
        return pthread_key_create(&key, ended) == 0 ? key : nil
    }()

    /// Initialized after `key`, because a child forked while `key` is initialized would wait for it forever.
    private static let observesForks = pthread_atfork(nil, nil) { PushThread.endOthers() } == 0

    /// Calls `body` with the calling thread; `TracedPads` releases no tap that `body` uses.
    @inline(__always)
    static func inHook(_ body: (PushThread) -> Void) {
        guard let key, let raw = pthread_getspecific(key) ?? register(key) else { return }
        Unmanaged<PushThread>.fromOpaque(raw)._withUnsafeGuaranteedRef { thread in
            let number = thread.hook.load(ordering: .relaxed)
            thread.hook.store(number &+ 1, ordering: .sequentiallyConsistent)
            body(thread)
            thread.hook.store(number &+ 2, ordering: .releasing)
        }
    }

    @inline(never)
    private static func register(_ key: pthread_key_t) -> UnsafeMutableRawPointer? {
        _ = observesForks
        let free = all.first {
            $0.isTaken.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged
        }
        let raw = Unmanaged.passUnretained(free ?? add()).toOpaque()
        return pthread_setspecific(key, raw) == 0 ? raw : nil
    }

    /// Adds a thread to the list without a mutex, which another thread might hold during a fork.
    private static func add() -> PushThread {
        let thread = PushThread()
        let added = Unmanaged.passRetained(thread)
        while true {
            thread.older = newest.load(ordering: .acquiring)
            let (hasChanged, _) = newest.compareExchange(
                expected: thread.older, desired: added, ordering: .sequentiallyConsistent)
            if hasChanged { return thread }
        }
    }

    /// Runs in a forked child, which has only the calling thread.
    private static func endOthers() {
        guard let key else { return }
        let own = pthread_getspecific(key)
        for thread in all where Unmanaged.passUnretained(thread).toOpaque() != own {
            thread.hook.store(0, ordering: .relaxed)
            thread.end()
        }
    }

    private func end() {
        depth = 0
        isTaken.store(false, ordering: .releasing)
    }

    static var inHooks: [(thread: PushThread, hook: UInt64)] {
        all.map { ($0, $0.hook.load(ordering: .sequentiallyConsistent)) }.filter { $0.1 & 1 == 1 }
    }

    /// Whether the thread is still in the hook with this number.
    func isStill(in number: UInt64) -> Bool { hook.load(ordering: .acquiring) == number }

    // MARK: Pushes

    /// Begins a push; pushes nested deeper than 64 are not measured.
    @inline(__always)
    func begin(pad: UInt, peer: UInt, now: UInt64) {
        if depth < Self.deepest { pushes[depth] = Push(pad: pad, peer: peer, start: now, inner: 0) }
        depth += 1
    }

    /// Ends a push; returns nil if the beginning of the push was not recorded.
    ///
    /// Returns the pad to which `pad` was linked, and the duration of the push in nanoseconds. `length` includes nested
    /// pushes, `own` does not.
    @inline(__always)
    func end(pad: UInt, now: UInt64) -> (peer: UInt, length: UInt64, own: UInt64)? {
        guard depth > 0 else { return nil }
        guard depth <= Self.deepest else {
            depth -= 1
            return nil
        }
        let push = pushes[depth - 1]
        guard push.pad == pad else { return nil }
        depth -= 1
        let length = now > push.start ? now - push.start : 0
        if depth > 0 { pushes[depth - 1].inner &+= length }
        return (push.peer, length, length > push.inner ? length - push.inner : 0)
    }
}
