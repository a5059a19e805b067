import CGStreamer
import GStreamer
import GstTestSupport
import Testing

@Suite struct StructureTests {
    @Test func everyKindOfFieldReachesTheBus() {
        let subject = Subject()
        ElementHost.of(subject).post(
            Structure(
                "facts",
                [
                    "yes": .bool(true), "int": .int(-1), "uint": .uint(1), "big": .int64(-2), "huge": .uint64(2),
                    "real": .double(0.5), "text": .string("a b"), "rate": .fraction(30, 1),
                    "inner": .structure(Structure("inner", ["n": .int(1)])),
                    "caps": .caps("video/x-raw, width=(int)4"),
                ]))
        let text = subject.messages().first?.text ?? ""
        for field in [
            "facts", "yes=(boolean)true", "int=(int)-1", "uint=(uint)1", "big=(gint64)-2", "huge=(guint64)2",
            "real=(double)0.5", "text=(string)\"a\\ b\"", "rate=(fraction)30/1", "n\\=\\(int\\)1",
            "caps=(GstCaps)\"video/x-raw",
        ] {
            #expect(text.contains(field))
        }
    }

    @Test(arguments: ["", "1st", "with space", "ä"])
    func namesGStreamerDoesNotAllowPostNothing(name: String) {
        let subject = Subject()
        ElementHost.of(subject).post(Structure(name))
        #expect(subject.messages() == [])
    }

    @Test func valuesThatAreNoneAreLeftOut() {
        let subject = Subject()
        ElementHost.of(subject).post(
            Structure("odd", ["a": .fraction(1, 0), "b": .fraction(.min, -1), "c": .caps("no caps!")]))
        #expect(subject.messages().first?.text == "odd;")
    }

    @Test func fieldsCanBeChangedAndTakenOut() {
        var structure = Structure("s", ["a": .int(1), "b": .int(2)])
        structure["a"] = .int(3)
        structure["b"] = nil
        structure["c"] = .bool(false)
        #expect(structure == Structure("s", ["a": .int(3), "c": .bool(false)]))
    }
}
