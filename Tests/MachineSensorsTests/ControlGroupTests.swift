import MachineState
import Testing

@Suite struct ControlGroupTests {
    private func folders(_ text: String) -> [String] { ControlGroup.lineage(text).map(\.folder) }

    @Test func theParentsBindToo() {
        #expect(
            folders("0::/user.slice/a:b\n") == [
                "/sys/fs/cgroup/user.slice/a:b", "/sys/fs/cgroup/user.slice", "/sys/fs/cgroup",
            ])
        #expect(folders("0::/") == ["/sys/fs/cgroup"])
        #expect(
            folders("9:name=systemd:/\n4:cpu,memory:/a\n0::/x\n") == [
                "/sys/fs/cgroup/memory/a", "/sys/fs/cgroup/memory",
            ])
    }

    @Test func namesItsFiles() throws {
        let second = try #require(ControlGroup.lineage("0::/a").first)
        #expect(second.pressureFile == "/sys/fs/cgroup/a/memory.pressure")
        #expect(second.limitFile == "/sys/fs/cgroup/a/memory.max")
        let first = try #require(ControlGroup.lineage("4:memory:/a").first)
        #expect(first.usageFile == "/sys/fs/cgroup/memory/a/memory.usage_in_bytes")
        #expect(first.pressureFile == nil)
    }

    @Test(arguments: ["", "::\n:", "0::/../../other", "nonsense"]) func whatIsNoGroupIsNone(text: String) {
        #expect(folders(text) == [])
    }

    @Test func aFileCannotMakeItGoOnForEver() {
        #expect(folders("0::" + String(repeating: "/a", count: 33)) == [])
        #expect(folders("0::" + String(repeating: "/a", count: 32)).count == 33)
    }
}
