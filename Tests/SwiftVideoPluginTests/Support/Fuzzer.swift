import CGStreamer
import Synchronization

/// Runs something over and over on a thread of its own.
final class Fuzzer: @unchecked Sendable {  // All that changes is atomic.
    private let body: @Sendable () -> Void
    private let isStopping = Atomic<Bool>(false)

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    /// Runs beside `work`, and ends with it.
    func run(while work: () -> Void) {
        let loop: GThreadFunc = { data in
            let fuzzer = Unmanaged<Fuzzer>.fromOpaque(data!).takeUnretainedValue()
            while !fuzzer.isStopping.load(ordering: .relaxed) { fuzzer.body() }
            return nil
        }
        let thread = g_thread_new("fuzzer", loop, Unmanaged.passUnretained(self).toOpaque())
        work()
        isStopping.store(true, ordering: .relaxed)
        g_thread_join(thread)
    }
}

/// Random numbers that are the same in every run.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
