import CGStreamer
import CSendspinPluginEntry
import CVirtualDAC
import SendspinPlugin

/// Plays from a fake server in a process in which nothing else runs, for tests of leaks, allocations and the log.
///
///     SendspinProbe source|play|log|sync-allocations|source-allocations|discovery|tiny-chunks FOLDER
///     SendspinProbe hostile FOLDER [KIND [idle|playing [COUNT]]]
///
/// The folder contains the identity of the player. `hostile` attacks players until they have taken COUNT messages.
@main
struct SendspinProbe {
    static func main() throws {
        guard CommandLine.arguments.count >= 3, sendspin_plugin_init(nil) != 0, cvirtualdac_register() != 0 else {
            fatalError("SendspinProbe SCENARIO FOLDER")
        }
        let folder = CommandLine.arguments[2]
        switch CommandLine.arguments[1] {
        case "source": try Playback.source(folder)
        case "play": try Playback.player(folder)
        case "log": try Playback.pairing(folder)
        case "sync-allocations": try AllocationCounter.sync(folder)
        case "source-allocations": try AllocationCounter.source(folder)
        case "discovery": try Discovery.run(folder)
        case "tiny-chunks": try ChunkMemory.run(folder)
        case "hostile": try Hostile.run(folder, Array(CommandLine.arguments.dropFirst(3)))
        default: fatalError("an unknown scenario")
        }
        // The tracer for leaks reports now.
        gst_deinit()
    }
}

/// Ends the process with a reason if a condition is not true.
func require(_ condition: Bool, _ reason: String) {
    if !condition { fatalError(reason) }
}
