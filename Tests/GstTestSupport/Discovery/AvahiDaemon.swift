import Foundation

/// A running avahi-daemon, which uses the private bus and only the loopback interface.
///
/// The daemon runs in a mount namespace with its own /run, so that other daemons, such as that of the machine, can run
/// at the same time. The packages `avahi-daemon` and `util-linux` must be installed.
public final class AvahiDaemon {
    private let daemon: ChildProcess

    private static let configuration = """
        [server]
        host-name=gst-swift-\(getpid())
        allow-interfaces=lo
        use-ipv4=yes
        use-ipv6=yes
        disallow-other-stacks=no
        [wide-area]
        enable-wide-area=no
        [publish]
        publish-hinfo=no
        publish-workstation=no
        """

    /// Command that creates the mount namespace, for users other than root within a user namespace.
    private static let namespace = ["unshare"] + (geteuid() == 0 ? ["--mount"] : ["--map-root-user", "--mount"])

    /// Whether the daemon can run on this machine; containers may forbid namespaces.
    public static let isPossible: Bool = {
        let command = namespace + ["sh", "-c", "mount -t tmpfs tmpfs /run && command -v avahi-daemon"]
        return (try? ChildProcess(command).succeeds()) == true
    }()

    /// Starts the daemon without waiting until it is ready, because clients wait themselves.
    public init() throws {
        let file = PrivateBus.folder + "/avahi.conf"
        try Self.configuration.write(toFile: file, atomically: true, encoding: .utf8)
        let start = "mount -t tmpfs tmpfs /run && exec avahi-daemon --no-drop-root --no-chroot --no-rlimits -f \(file)"
        daemon = try ChildProcess(Self.namespace + ["sh", "-c", start])
    }

    deinit { end() }

    public func end() { daemon.end() }
}
