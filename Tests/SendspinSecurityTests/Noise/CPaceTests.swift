import Testing

@testable import SendspinSecurity

/// Tests the key exchange with a code by the vectors of draft-irtf-cfrg-cpace-21, appendix B.1.
@Suite struct CPaceTests {
    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8((digits[$0] * 16) + digits[$0 + 1]) }
    }

    private func secret(_ hex: String) -> Secret { Secret(copying: Self.bytes(hex)) }

    private let session = Self.bytes("7e4b4791d6a8ef019b936c79fb7f2c57")

    private func side(_ scalar: String) throws(NoiseFault) -> CPace {
        try CPace(
            code: Array("Password".utf8), session: session, channel: Array("\u{B}A_initiator\u{B}B_responder".utf8),
            scalar: secret(scalar))
    }

    @Test func sharesAndKeyAreThoseOfTheDraft() throws {
        let initiator = try side("21b4f4bd9e64ed355c3eb676a28ebedaf6d8f17bdc365995b319097153044080")
        let responder = try side("848b0779ff415f0af4ea14df9dd1d3c29ac41d836c7808896c4eba19c51ac40a")
        #expect(
            initiator.share.bytes
                == Self.bytes("1d13c89278cdadd826f6d8d7f887701430f8380ddc17611cdd6dc989ce0c9f32"))
        #expect(
            responder.share.bytes
                == Self.bytes("248cccf6d5cdc3646f0ad593f9e6cef4e69d4945f8372e623512ecea32185623"))
        let key = Self.bytes(
            "6e19b875f7a561d6b3ca3dbb9ef42ac55de3e717881018204b8922b4d5e53bb2"
                + "aa82c300bea7b65d2b671da71922ddf6472301b79bc270adfa8bf413285f2263")
        let names = (initiator: "ADa", responder: "ADb")
        let first = try initiator.finish(with: responder.share, isInitiator: true, names: names)
        let second = try responder.finish(with: initiator.share, isInitiator: false, names: names)
        #expect(first.revealedKey == key && second.revealedKey == key)
        #expect(second.confirms(first.initiatorTag) && first.responderTag == second.responderTag)
        // The draft has no vector of the tags; this one is that of Tests/sendspin/cpace.py.
        #expect(
            first.initiatorTag
                == Self.bytes(
                    "214b05fed53d47d1ac815b42eae64cc68f93f2013db81db04cc9a4f12a1a5ca5"
                        + "13cb2458c9071bbecf720556872de984260fdc2b576c8f5331c455de81bd22dd"))
    }

    @Test func otherCodeSessionAndTagAreRefused() throws {
        let code = Array("123456".utf8)
        let responder = try CPace(code: code, session: session)
        for (other, session) in [(Array("123457".utf8), session), (code, session + [0])] {
            let initiator = try CPace(code: other, session: session)
            let mine = try initiator.finish(with: responder.share, isInitiator: true)
            let theirs = try responder.finish(with: initiator.share, isInitiator: false)
            #expect(!theirs.confirms(mine.initiatorTag))
        }
        let initiator = try CPace(code: code, session: session)
        let mine = try initiator.finish(with: responder.share, isInitiator: true)
        let theirs = try responder.finish(with: initiator.share, isInitiator: false)
        #expect(theirs.confirms(mine.initiatorTag))
        // A tag of the client, which the server could send back, proves nothing.
        #expect(!theirs.confirms(theirs.responderTag))
        #expect(!theirs.confirms([]) && !theirs.confirms(Array(mine.initiatorTag.dropLast())))
    }

    @Test(arguments: [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ])
    func shareOfLowOrderIsRefused(hex: String) throws {
        let side = try CPace(code: Array("123456".utf8), session: session)
        let share = try #require(PublicKey(Self.bytes(hex)))
        #expect(throws: NoiseFault.weakPublicKey) { try side.finish(with: share, isInitiator: false) }
    }

    /// Vectors u6, u8, u9, ua and ub of B.1.10: bit 255 of a share is ignored, also if the rest is not canonical.
    @Test(arguments: [
        (
            "daffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
            "d8e2c776bbacd510d09fd9278b7edcd25fc5ae9adfba3b6e040e8d3b71b21806"
        ),
        (
            "dbffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
            "c85c655ebe8be44ba9c0ffde69f2fe10194458d137f09bbff725ce58803cdb38"
        ),
        (
            "d9ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
            "db64dafa9b8fdd136914e61461935fe92aa372cb056314e1231bc4ec12417456"
        ),
        (
            "cdeb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b880",
            "e062dcd5376d58297be2618c7498f55baa07d7e03184e8aada20bca28888bf7a"
        ),
        (
            "4c9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f11d7",
            "993c6ad11c4c29da9a56f7691fd0ff8d732e49de6250b6c2e80003ff4629a175"
        ),
    ])
    func highestBitOfAShareIsIgnored(hex: String, product: String) throws {
        let side = try side("af46e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449aff")
        let share = try #require(PublicKey(Self.bytes(hex)))
        let outcome = try side.finish(with: share, isInitiator: true, names: (initiator: "a", responder: "b"))
        let text =
            CPace.prefixed(Array("CPace255_ISK".utf8), session, Self.bytes(product))
            + CPace.prefixed(side.share.bytes, Array("a".utf8)) + CPace.prefixed(share.bytes, Array("b".utf8))
        #expect(outcome.revealedKey == text.withUnsafeBytes { Sodium.sha512($0) }.revealed())
    }

    // MARK: Codes

    private func code(_ format: PairingCode.Format, hash: UInt8 = 0) -> PairingCode {
        PairingCode(
            format, handshakeHash: [hash] + (1..<32).map { UInt8($0) }, serverNonce: (32..<64).map { UInt8($0) },
            clientNonce: Secret(copying: (64..<96).map { UInt8($0) }))
    }

    /// The values are those of Tests/sendspin/cpace.py.
    @Test func codesAreDerivedFromTheHandshake() {
        #expect(code(.digits).text == "806-729")
        #expect(code(.digits).bytes == Array("806729".utf8))
        #expect(code(.qrCode).bytes == Self.bytes("9f26c48e69443b7fab8d1be2052017a0f69b4a1f0e49033d"))
        #expect(code(.digits, hash: 1).text != "806-729")
    }

    @Test func contentOfAQRCodeIsTheTokenOfTheSpecification() {
        #expect(
            "SP:1" + Base32.encode((0xE0...0xF7).map { UInt8($0) }) == "SP:14DQ6FY7E4XTOP9HJ5LV6Z3PO57YPD4XT6T97N5Y")
        #expect(code(.qrCode).text.hasPrefix("SP:1") && code(.qrCode).text.count == 43)
    }
}
