import CSendspinPluginEntry
import CVirtualDAC
import GstTestSupport
import SendspinPlugin

/// State that the tests of the Sendspin elements share: the registered elements.
enum SendspinSetup {
    /// Registers the elements of both plugins, and the virtual DAC.
    static let once: Void = {
        _ = Setup.once
        // Without a plugin, the elements belong to the process.
        precondition(sendspin_plugin_init(nil) != 0, "the Sendspin elements cannot be registered")
        precondition(cvirtualdac_register() != 0, "the virtual DAC cannot be registered")
    }()
}
