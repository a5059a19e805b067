import GstTestSupport
import NTSCFilter

/// An `ntscfilter` that is not in a pipeline.
final class Filter: TestElement, @unchecked Sendable {  // The superclass may be used from any thread.
    init(_ properties: [String: String] = [:]) { super.init("ntscfilter", properties) }
}

func makeHarness(_ properties: [String: String] = [:], caps: String? = nil) -> Harness {
    Harness(Filter(properties), caps: caps)
}
