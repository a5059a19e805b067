import CVirtualDAC
import GstTestSupport
import GStreamer
import Sendspin

/// State that the tests of the Sendspin elements share: the registered elements.
enum SendspinSetup {
    /// Registers the elements of both plugins, and the virtual DAC.
    static let once: Void = {
        _ = Setup.once
        // The elements are registered without a plugin, for this process only.
        precondition(registerSendspin(in: .none), "the Sendspin elements cannot be registered")
        precondition(cvirtualdac_register() != 0, "the virtual DAC cannot be registered")
    }()
}
