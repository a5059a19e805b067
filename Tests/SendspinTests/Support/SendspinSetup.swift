import CVirtualDAC
import GstTestSupport
import GStreamer
import Sendspin

/// State that the tests of the Sendspin elements share: the registered elements.
enum SendspinSetup {
    /// Registers the elements of both plugins, and the virtual DAC.
    static let once: Void = {
        _ = Setup.once
        // Without a plugin, the elements belong to the process.
        precondition(registerSendspin(in: .none), "the Sendspin elements cannot be registered")
        precondition(cvirtualdac_register() != 0, "the virtual DAC cannot be registered")
    }()
}
