import CTestStart
import Foundation

/// A system bus for only this process, at the address that `CTestStart` has set.
///
/// Only one bus can run at a time. The package `dbus` must be installed.
public final class PrivateBus {
    private let daemon: ChildProcess

    /// Folder of the socket, which is removed when the tests end.
    static let folder: String = {
        atexit { try? FileManager.default.removeItem(atPath: PrivateBus.folder) }
        return String(cString: cteststart_folder())
    }()

    private static let configuration = """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
          "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>unix:path=\(folder)/bus</listen>
          <auth>EXTERNAL</auth>
          <auth>ANONYMOUS</auth>
          <allow_anonymous/>
          <policy context="default">
            <allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/>
          </policy>
        </busconfig>
        """

    /// Starts the bus, and returns when the bus accepts connections.
    public init() throws {
        try FileManager.default.createDirectory(atPath: Self.folder, withIntermediateDirectories: true)
        let file = Self.folder + "/bus.conf"
        try Self.configuration.write(toFile: file, atomically: true, encoding: .utf8)
        try? FileManager.default.removeItem(atPath: Self.folder + "/bus")
        daemon = try ChildProcess([
            "dbus-daemon", "--config-file=\(file)", "--nofork", "--nopidfile", "--print-address",
        ])
        guard daemon.awaitOutput() else { throw ChildProcess.Failure(number: ENOENT) }
    }

    deinit { end() }

    public func end() {
        daemon.end()
    }
}
