import GstTestSupport
import Testing

/// Tests `ProgramRun`, with which other tests run programs.
@Suite struct ProgramRunTests {
    @Test func outputAndStatusAreThoseOfTheProgram() throws {
        let run = try ProgramRun("sh", ["-c", "echo $WORD; echo error >&2; exit 3"], ["WORD": "word"])
        #expect(run.output == "word\nerror\n")
        #expect(run.status == 3)
    }

    /// Without the limit of time, a program that hangs would block the run of all tests.
    @Test(arguments: [
        "echo begun; exec tail -f /dev/null", "echo begun; tail -f /dev/null & wait",
        "trap '' TERM; echo begun; tail -f /dev/null",
    ])
    func programThatHangsIsKilledWithItsChildren(script: String) throws {
        let error = try #require(throws: ProgramRun.Timeout.self) {
            try ProgramRun("sh", ["-c", script], within: .milliseconds(300))
        }
        #expect("\(error)".contains("sh -c \(script) was killed"))
        #expect("\(error)".contains("begun"))
    }
}
