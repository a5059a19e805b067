import MonitorPolicy
import Testing

@Suite struct PipelineFilesTests {
    private var files = PipelineFiles()

    @Test mutating func theFirstPipelineHasThePathAndOthersTheirName() {
        #expect(files.claim("/tmp/figures.jsonl", for: "a") == "/tmp/figures.jsonl")
        #expect(files.claim("/tmp/figures.jsonl", for: "b") == "/tmp/figures-b.jsonl")
        #expect(files.claim("/tmp/other", for: "b") == "/tmp/other")
    }

    @Test mutating func aPipelineHasItsFileAgain() {
        let paths = ["a", "b"].map { files.claim("f.txt", for: $0) }
        for path in paths { files.release(path) }
        #expect(["b", "a"].map { files.claim("f.txt", for: $0) } == ["f-b.txt", "f.txt"])
    }

    @Test mutating func pipelinesInTurnShareAFile() {
        for number in 0..<50 {
            let path = files.claim("f.txt", for: "pipeline\(number)")
            #expect(path == "f.txt")
            files.release(path)
        }
    }

    @Test mutating func thereAreNoMoreFilesThanPipelinesAtOnce() {
        _ = files.claim("f.txt", for: "all the time")
        let paths = (0..<50).map { number in
            let path = files.claim("f.txt", for: "pipeline\(number)")
            defer { files.release(path) }
            return path
        }
        #expect(Set(paths) == ["f-pipeline0.txt"])
    }

    @Test mutating func pipelinesOfOneNameNeverShareAFile() {
        let paths = (0..<50).map { files.claim("f.txt", for: $0 % 2 == 0 ? "a" : "b") }
        #expect(Set(paths).count == 50)
        #expect(paths.prefix(4) == ["f.txt", "f-b.txt", "f-a.txt", "f-b-2.txt"])
    }

    @Test(arguments: [
        ("f", "f-x"), ("f.b.txt", "f.b-x.txt"), ("/a.b/f", "/a.b/f-x"), (".f", ".f-x"), ("/a/.f", "/a/.f-x"),
        ("", "-x"), ("/", "/-x"), (".", ".-x"), ("f.", "f-x."),
    ]) mutating func theNameIsInsertedBeforeTheExtension(path: String, own: String) {
        _ = files.claim(path, for: "first")
        #expect(files.claim(path, for: "x") == own)
    }

    @Test mutating func aNameIsNoFolder() {
        _ = files.claim("f.txt", for: "first")
        #expect(files.claim("f.txt", for: "../a\n") == "f-..-a-.txt")
    }
}
