import CGStreamer
import GStreamer
import GstTestSupport
import Testing

@Suite struct StructureTests {
    @Test func messageContainsEveryKindOfField() throws {
        let subject = Subject()
        let caps = try #require(Caps("video/x-raw, width=(int)4"))
        ElementHost.of(subject).post(
            Structure(
                "facts",
                [
                    "yes": .bool(true), "int": .int(-1), "uint": .uint(1), "big": .int64(-2), "huge": .uint64(2),
                    "real": .double(0.5), "text": .string("a b"), "rate": .fraction(.init(30, 1)),
                    "inner": .structure(Structure("inner", ["n": .int(1)])),
                    "caps": .caps(caps),
                ]))
        let text = subject.messages().first?.text ?? ""
        for field in [
            "facts", "yes=(boolean)true", "int=(int)-1", "uint=(uint)1", "big=(gint64)-2", "huge=(guint64)2",
            "real=(double)0.5", "text=(string)\"a\\ b\"", "rate=(fraction)30/1", "n\\=\\(int\\)1",
        ] {
            #expect(text.contains(field))
        }
        // GStreamer 1.28 writes the short name of the type.
        #expect(text.contains(/caps=\((GstCaps|caps)\)"video\/x-raw/))
    }

    @Test func descriptionIsTheTextOfGStreamer() {
        #expect(
            "\(Structure("peak", ["level": .uint(7), "text": .string("a b")]))"
                == #"peak, level=(uint)7, text=(string)"a\ b";"#)
        #expect("\(Structure("1st"))" == "1st")
    }

    @Test(arguments: ["", "1st", "with space", "ä"])
    func invalidStructureNamesPostNoMessage(name: String) {
        let subject = Subject()
        ElementHost.of(subject).post(Structure(name))
        #expect(subject.messages() == [])
    }

    @Test func invalidValuesAreOmitted() {
        let subject = Subject()
        ElementHost.of(subject).post(
            Structure(
                "odd",
                [
                    "a": .fraction(.init(1, 0)), "b": .fraction(.init(.min, -1)), "c": .other("of another type"),
                    "d": .intRange(2...2), "e": .fractionRange(least: .init(2, 1), most: .init(1, 1)),
                    "f": .structure(Structure("no name")),
                ]))
        #expect(subject.messages().first?.text == "odd;")
        #expect(Caps("no caps!") == nil)
    }

    /// Tests that fields of caps, messages and events have the same types.
    @Test func capsRangesAndListsAreFieldValues() throws {
        let text = "video/x-raw, width=(int)[ 2, 8, 2 ], framerate=(fraction)[ 0/1, 30/1 ], format={ I420, NV12 }"
        let read = try #require(Caps(text)?.structure(at: 0))
        #expect(read["width"] == .intRange(2...8, step: 2))
        #expect(read["framerate"] == .fractionRange(least: .init(0, 1), most: .init(30, 1)))
        #expect(read["format"]?.alternatives == [.string("I420"), .string("NV12")])
        let sent = Event.custom(read, isUpstream: true)?.structure
        #expect(sent == read)
        let texts = ["width", "framerate", "format"].map { read[$0]?.description }
        #expect(texts == ["[ 2, 8, 2 ]", "[ 0/1, 30/1 ]", "{ (string)I420, (string)NV12 }"])
    }

    @Test func productOfFractionsIsReduced() {
        #expect(Structure.Fraction(2, 3).times(.init(3, 4)) == .init(1, 2))
        #expect(Structure.Fraction(.max, 2).times(.init(4, .max)) == .init(2, 1))
        #expect(Structure.Fraction(.max, 1).times(.init(2, 1)) == nil)
    }

    @Test func fieldsCanBeChangedAndRemoved() {
        var structure = Structure("s", ["a": .int(1), "b": .int(2)])
        structure["a"] = .int(3)
        structure["b"] = nil
        structure["c"] = .bool(false)
        #expect(structure == Structure("s", ["a": .int(3), "c": .bool(false)]))
    }
}
