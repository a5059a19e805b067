import CGStreamer
import Glibc

/// The target that this process tests.
private let target: @Sendable ([UInt8]) -> Void = {
    guard let target = getenv("FUZZ_TARGET").flatMap({ FuzzTargets.all[String(cString: $0)] }) else {
        print("FUZZ_TARGET must be one of \(FuzzTargets.all.keys.sorted().joined(separator: ", ")).")
        exit(2)
    }
    // A critical message is a fault. libFuzzer saves the input after SIGABRT, but not after GLib's SIGTRAP.
    g_log_set_always_fatal(cgst_log_level_critical())
    signal(SIGTRAP) { _ in abort() }
    return target
}()

/// Tests one input; libFuzzer, which has the main function, derives inputs from the coverage of the code.
///
/// `plugin-build/fuzz` runs the program: `FUZZ_TARGET=json Fuzz [OPTION…] [FOLDER…]`.
@_cdecl("LLVMFuzzerTestOneInput")
func test(_ bytes: UnsafePointer<UInt8>?, count: Int) -> CInt {
    target(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

/// Ends the process with the text of the claim if the claim is false, so that libFuzzer saves the input.
func require(_ claim: Bool, _ text: @autoclosure () -> String) {
    if !claim { fatalError("It does not hold that \(text()).") }
}
