import Foundation
import Testing

/// Tests `check-shifts`, which fails if a shift or mask stands beside another operator without parentheses.
@Suite(.serialized) struct ShiftTests {
    @Test(arguments: [
        ("let byte = (255 - 2 * byte) * share >> 8", false), ("let byte = ((255 - 2 * byte) * share) >> 8", true),
        ("let word = high << 8 | low", false), ("let word = (high << 8) | low", true),
        ("let bits = word & 3 + 1", false), ("guard word & 3 == 1, bits &>> 2 > 0 else { return }", true),
        ("let all = Mutex<[UInt: [Int]]>([:]), sum = 1 + 2 // 1 << 2 + 3", true),
        ("let text = \"1 << 2 + 3\"", true),
        ("let word = (first[0] << 8)\n    | (first[1] << 4)", true),
        ("let word = first[0] << 8\n    | first[1]", false),
    ])
    func findsShiftsWithoutParentheses(line: String, isClear: Bool) async throws {
        let file = Folders.fresh("shifts").appending(path: "Shifts.swift")
        try "import Glibc\n\(line)\n".write(to: file, atomically: true, encoding: .utf8)
        let found = try await Command.run(
            Folders.package.appending(path: "plugin-build/check-shifts"), [file.path(percentEncoded: false)])
        #expect(found.succeeded == isClear && found.output.isEmpty == isClear, "\(found.output)")
    }
}
