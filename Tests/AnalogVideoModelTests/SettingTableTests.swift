import AnalogVideoModel
import Testing

struct SettingTableTests {
    /// Key, kind, minimum, maximum, default, and legacy value if it differs; see docs/NTSC.md, "Presets".
    static let specification = """
        random_seed integer -2147483648 2147483647 0
        standard choice 0 2 0
        use_field choice 0 5 4
        filter_type choice 0 1 1 0
        input_luma_filter choice 0 2 2
        chroma_lowpass_in choice 0 2 2
        black_line_cut real 0 0.25 0
        composite_preemphasis real -1 2 1
        composite_noise toggle 0 1 1
        composite_noise_intensity real 0 1 0.05 0
        composite_noise_frequency real 0 1 0.5 0.25
        composite_noise_detail integer 1 5 1
        snow_intensity real 0 100 0.00025
        snow_anisotropy real 0 1 0.5
        snow_model choice 0 1 0
        video_scanline_phase_shift choice 0 3 2
        video_scanline_phase_shift_offset integer 0 3 0
        chroma_demodulation choice 0 4 1
        pal_decoder choice 0 1 1
        luma_smear real 0 1 0.5 0
        ghost_level real 0 0.9 0
        ghost_delay real 0 10 2
        ghost_phase real 0 1 0
        co_channel_level real 0 1 0
        co_channel_offset real 0 20000 10000
        horizontal_hold real -4 4 0
        vertical_hold real -4 4 0
        sync_noise real 0 2 0
        head_switching toggle 0 1 1
        head_switching_height integer 0 24 8
        head_switching_offset integer 0 24 3
        head_switching_horizontal_shift real -100 100 72
        head_switching_start_mid_line toggle 0 1 1 0
        head_switching_mid_line_position real 0 1 0.95
        head_switching_mid_line_jitter real 0 1 0.03
        tracking_noise toggle 0 1 1
        tracking_noise_height integer 0 120 12
        tracking_noise_wave_intensity real -50 50 15
        tracking_noise_snow_intensity real 0 1 0.025
        tracking_noise_snow_anisotropy real 0 1 0.25
        tracking_noise_noise_intensity real 0 1 0.25
        burst_lock toggle 0 1 0
        ringing toggle 0 1 1
        ringing_frequency real 0 1 0.45
        ringing_power real 1 10 4
        ringing_scale real 0 10 4
        luma_noise toggle 0 1 1 0
        luma_noise_intensity real 0 1 0.01 0
        luma_noise_frequency real 0 1 0.5 0
        luma_noise_detail integer 1 5 1 1
        chroma_noise toggle 0 1 1
        chroma_noise_intensity real 0 1 0.1 0
        chroma_noise_frequency real 0 0.5 0.05
        chroma_noise_detail integer 1 5 2 1
        chroma_phase_error real 0 1 0
        chroma_phase_noise_intensity real 0 1 0.001
        chroma_delay_horizontal real -40 40 0
        chroma_delay_vertical integer -20 20 0
        chroma_delay_position choice 0 2 0
        vhs_settings toggle 0 1 1
        vhs_tape_speed choice 0 3 2
        vhs_chroma_loss real 0 1 0.000025
        vhs_sharpen_enabled toggle 0 1 1
        vhs_sharpen real 0 5 0.25
        vhs_sharpen_frequency real 0.5 4 1
        vhs_edge_wave_enabled toggle 0 1 1
        vhs_edge_wave real 0 20 0.5
        vhs_edge_wave_speed real 0 10 4
        vhs_edge_wave_frequency real 0 0.5 0.05
        vhs_edge_wave_detail integer 1 5 2 1
        vhs_chroma_vert_blend toggle 0 1 1
        yc_recombinations integer 0 8 0
        generations integer 1 8 1
        chroma_lowpass_out choice 0 2 2
        scale_settings toggle 0 1 1
        bandwidth_scale real 0.125 8 1
        vertical_scale real 0.125 8.8 1
        scale_with_video_size toggle 0 1 0
        """

    @Test func rowsEqualTheSpecification() {
        let lines = Self.specification.split(separator: "\n")
        #expect(SettingRow.all.count == lines.count)
        for (row, line) in zip(SettingRow.all, lines) {
            let fields = line.split(separator: " ")
            #expect(row.key == fields[0])
            #expect(describe(row.kind) == fields[1...3].joined(separator: " "), "\(row.key)")
            #expect(Float(row.value(in: NTSCSettings())) == Float(fields[4]), "\(row.key)")
            #expect(row.legacy.map { Float($0) } == (fields.count > 5 ? Float(fields[5]) : nil), "\(row.key)")
        }
    }

    private func describe(_ kind: SettingRow.Kind) -> String {
        switch kind {
        case .toggle: "toggle 0 1"
        case .integer(let range): "integer \(range.lowerBound) \(range.upperBound)"
        case .real(let range): "real \(short(range.lowerBound)) \(short(range.upperBound))"
        case .choice(_, let options): "choice \(options[0].value) \(options[options.count - 1].value)"
        }
    }

    private func short(_ value: Float) -> String { value == value.rounded() ? "\(Int(value))" : "\(value)" }

    @Test func everyRowHasABlurbAndAUniqueName() {
        #expect(Set(SettingRow.all.map(\.propertyName)).count == SettingRow.all.count)
        for row in SettingRow.all {
            #expect(row.blurb.count > 15, "\(row.key)")
            #expect(row.propertyName.allSatisfy { $0 == "-" || $0.isNumber || ($0.isLowercase && $0.isASCII) })
            guard case .choice(_, let options) = row.kind else { continue }
            #expect(options.map { $0.value } == Array(0..<Int32(options.count)))
            #expect(Set(options.map { $0.nick }).count == options.count)
        }
    }

    @Test func everyRowStoresOnlyItsOwnSetting() {
        for row in SettingRow.all {
            let before = row.value(in: NTSCSettings())
            var settings = NTSCSettings()
            for candidate in [0.0, 1, 2] where row.value(in: settings) == before {
                #expect(row.store(candidate, in: &settings), "\(row.key)")
            }
            let changed = SettingRow.all.filter { $0.value(in: settings) != $0.value(in: NTSCSettings()) }
            #expect(changed.map(\.key) == [row.key])
        }
    }

    @Test(arguments: [Double.infinity, -.infinity, 1e300, -1e300, .leastNonzeroMagnitude, -0.0])
    func storedValuesAreInRange(value: Double) {
        for row in SettingRow.all {
            var settings = NTSCSettings()
            row.store(value, in: &settings)
            #expect(row.holdsValidValue(in: settings), "\(row.key)")
        }
    }

    @Test func nanIsNotStored() {
        for row in SettingRow.all {
            var settings = NTSCSettings()
            #expect(!row.store(.nan, in: &settings))
            #expect(settings == NTSCSettings())
        }
    }
}

extension SettingRow {
    func holdsValidValue(in settings: NTSCSettings) -> Bool {
        let value = value(in: settings)
        return switch kind {
        case .toggle: value == 0 || value == 1
        case .integer(let range): Double(range.lowerBound)...Double(range.upperBound) ~= value
        case .real(let range): Double(range.lowerBound)...Double(range.upperBound) ~= value
        case .choice(_, let options): options.contains { Double($0.value) == value }
        }
    }
}
