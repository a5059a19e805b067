import GstTestSupport
import NTSCFilter

/// An `ntscfilter` that is not in a pipeline.
final class Filter: TestElement, @unchecked Sendable {  // As its superclass.
    init(_ properties: [String: String] = [:]) { super.init("ntscfilter", properties) }
}

func makeHarness(_ properties: [String: String] = [:], caps: String? = nil) -> Harness {
    Harness(Filter(properties), caps: caps)
}
