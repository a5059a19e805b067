import StreamControl
import Testing

@Suite struct ChoiceTests {
    @Test(arguments: [
        ("", ProcessorChoice.any), ("performance", .performance), ("0-3,6", .listed([0, 1, 2, 3, 6])),
        (" 6, 1 - 2 ,1", .listed([1, 2, 6])), ("0", .listed([0])),
    ])
    func processorsAreNamed(text: String, choice: ProcessorChoice) { #expect(ProcessorChoice(text) == choice) }

    @Test(arguments: [
        "-", "3-", "-3", "3-1", "1,,2", ",", "x", "0-1-2", "99999999999999999999", "1024", "+1", "1.5", "٣",
    ])
    func nonsenseNamesNone(text: String) { #expect(ProcessorChoice(text) == nil) }

    @Test func theFastestAreThoseWithTheHighestValue() {
        #expect(ProcessorChoice.fastest([(0, 446), (3, 1024), (2, 1024), (1, 446)]) == [2, 3])
        #expect(ProcessorChoice.fastest([(0, 0), (1, 0)]) == [0, 1])
        #expect(ProcessorChoice.fastest([]) == [])
    }

    @Test func processorsThatDoNotExistAreListed() {
        #expect(ProcessorChoice.missing([0, 1, 99], existing: [0, 1, 2, 3]) == [99])
        #expect(ProcessorChoice.missing([7, 5, 6, 0], existing: [0, 2]) == [5, 6, 7])
        #expect(ProcessorChoice.missing([0, 1], existing: [0, 1]) == [])
        // A kernel that does not say which there are is no reason to leave one out.
        #expect(ProcessorChoice.missing([99], existing: []) == [])
    }

    @Test(
        arguments: [([], ""), ([6], "6"), ([0, 1, 2, 3, 6], "0-3,6"), ([1, 3, 4, 9], "1,3-4,9")] as [([Int], String)])
    func processorsAreWrittenAsTheyAreRead(processors: [Int], text: String) {
        #expect(ProcessorChoice.text(processors) == text)
        #expect(ProcessorChoice(text) == (processors.isEmpty ? .any : .listed(processors)))
    }
}
