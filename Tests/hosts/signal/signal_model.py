"""The signal of `ntscfilter` in NumPy, written from the formulas of docs/NTSC.md alone.

`golden_frames.py` makes the golden frames that the reference lacks with it, and compares it with the golden frames of the reference.
A field is a dictionary of the planes Y, I and Q, each an array of rows in 32-bit floating point. In PAL, I has V and Q has
U; in SECAM, Dr and Db. Stages have the names of their sections of the page.
"""

import math

import numpy as np

F = np.float32
PI = np.uint32(0x40490FDB).view(F)
MASK = (1 << 64) - 1

NTSC, PAL, SECAM = range(3)
ALTERNATING, UPPER, LOWER, BOTH, INTERLEAVED_UPPER, INTERLEAVED_LOWER = range(6)
CONSTANT_K, BUTTERWORTH = range(2)
BOX, NOTCH, ONE_LINE_COMB, TWO_LINE_COMB, NO_DEMODULATION = range(5)
RECEIVER, INPUT, OUTPUT = range(3)
NONE, LIGHT, FULL = range(3)

CARRIERS = {NTSC: F(315e6 / 88), PAL: F(4_433_618.75), SECAM: F(4_433_618.75)}
PICTURE_ROWS = {NTSC: F(480), PAL: F(576), SECAM: F(576)}
LUMA_LIMITS = {PAL: 5e6, SECAM: 6e6}
BANDWIDTHS = {NTSC: 4.2e6} | LUMA_LIMITS
MODULATION_DEPTHS = {NTSC: 0.625, PAL: 0.65, SECAM: 0.65}
LINES_PER_FIELD = {NTSC: 262.5, PAL: 312.5, SECAM: 312.5}
LINE_RATES = {NTSC: 4.5e6 / 286, PAL: 15_625.0, SECAM: 15_625.0}
BACK_PORCHES = {NTSC: 4.7, PAL: 5.8, SECAM: 5.8}
# Blanking of a line and of a field, relative to the picture.
BLANKING = {NTSC: (10.9 / (1e6 / LINE_RATES[NTSC] - 10.9), 22.5 / 240)} | dict.fromkeys((PAL, SECAM), (12 / 52, 24.5 / 288))
COMB_DISTANCES = {NTSC: 1, PAL: 2, SECAM: 2}
# Weights of R', G' and B' in I and Q, and of I and Q in R', G' and B'.
TO_CHROMA = {
    NTSC: ((0.5959, -0.2746, -0.3213), (0.2115, -0.5227, 0.3112)),
    PAL: ((0.614777, -0.514799, -0.099978), (-0.147407, -0.289391, 0.436798)),
    SECAM: ((-1.333302, 1.116474, 0.216828), (-0.449995, -0.883435, 1.333430)),
}
FROM_CHROMA = {
    NTSC: ((0.956, 0.619), (-0.272, -0.647), (-1.106, 1.703)),
    PAL: ((1.140251, 0.0), (-0.580809, -0.393931), (0.0, 2.028398)),
    SECAM: ((-0.525762, 0.0), (0.267807, -0.129042), (0.0, 0.664452)),
}


def fma(a, b, c):
    """a * b + c with one rounding; the product of two floats is exact in double precision."""
    return (np.multiply(a, b, dtype=np.float64) + c).astype(F)


def rounded(value):
    """To the nearest whole number, halves away from zero."""
    return int(math.copysign(math.floor(abs(float(value)) + 0.5), float(value)))


# Random numbers

def sip_hash(*items):
    """SipHash-2-4 with key 0 of integers, each a pair of the number and its width in bytes."""
    data = b"".join((number & ((1 << (8 * width)) - 1)).to_bytes(width, "little") for number, width in items)
    v = [0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573]

    def rotate(number, count):
        return ((number << count) | (number >> (64 - count))) & MASK

    def turn():
        v[0] = (v[0] + v[1]) & MASK
        v[1] = rotate(v[1], 13) ^ v[0]
        v[0] = rotate(v[0], 32)
        v[2] = (v[2] + v[3]) & MASK
        v[3] = rotate(v[3], 16) ^ v[2]
        v[0] = (v[0] + v[3]) & MASK
        v[3] = rotate(v[3], 21) ^ v[0]
        v[2] = (v[2] + v[1]) & MASK
        v[1] = rotate(v[1], 17) ^ v[2]
        v[2] = rotate(v[2], 32)

    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) & 255])
    for start in range(0, len(padded), 8):
        word = int.from_bytes(padded[start:start + 8], "little")
        v[3] ^= word
        turn()
        turn()
        v[0] ^= word
    v[2] ^= 0xFF
    for _ in range(4):
        turn()
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def unit(value):
    """A hash, or the upper half of a random number, as a number from 0 to below 1."""
    return F(np.uint32(((value & 0xFFFFFFFF) >> 9) | 0x3F800000).view(F) - F(1))


class Generator:
    """xoshiro256++ 1.0, seeded by SplitMix64."""

    JUMP = (0x180EC6D33CFD0ABA, 0xD5A61266F0C9392C, 0xA9582618E03FC9AA, 0x39ABDC4529B1661C)

    def __init__(self, seed):
        self.state = []
        for _ in range(4):
            seed = (seed + 0x9E3779B97F4A7C15) & MASK
            z = ((seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9) & MASK
            z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
            self.state.append(z ^ (z >> 31))

    def copy(self):
        other = Generator(0)
        other.state = list(self.state)
        return other

    def next(self):
        s0, s1, s2, s3 = self.state
        total = (s0 + s3) & MASK
        result = (((total << 23) | (total >> 41)) + s0) & MASK
        t = (s1 << 17) & MASK
        s2 ^= s0
        s3 ^= s1
        s1 ^= s2
        s0 ^= s3
        s2 ^= t
        self.state = [s0, s1, s2, ((s3 << 45) | (s3 >> 19)) & MASK]
        return result

    def bits32(self):
        return self.next() >> 32

    def float(self):
        return F((self.bits32() >> 8) * 2.0**-24)

    def double(self):
        return (self.next() >> 11) * 2.0**-53

    def uniform(self, low, high):
        return F(F(unit(self.bits32()) * F(F(high) - F(low))) + F(low))

    def geometric(self, probability):
        draw = self.double()
        if probability >= 1:
            return 0
        if draw == 0 or probability <= 0:
            return 1 << 48
        return min(max(int(math.log(draw) / math.log(1 - probability)), 0), 1 << 48)

    def jump(self):
        total = [0, 0, 0, 0]
        for word in self.JUMP:
            for bit in range(64):
                if (word >> bit) & 1:
                    total = [one ^ other for one, other in zip(total, self.state)]
                self.next()
        self.state = total


def lattice_hash(numbers):
    value = (numbers ^ np.uint32(2747636419)) * np.uint32(2654435769)
    for _ in range(2):
        value = (value ^ (value >> np.uint32(16))) * np.uint32(2654435769)
    return value


def lattice_slope(numbers):
    """Slope at lattice points, from an array of 32-bit integers."""
    value = lattice_hash(numbers)
    magnitude = (((value >> np.uint32(28)) & np.uint32(7)) + np.uint32(1)).astype(F)
    return np.where(value >> np.uint32(31) == 1, magnitude, -magnitude)


def gradient_noise(x, seed):
    x = np.asarray(x, F)
    cell = np.floor(x)
    whole = cell.astype(np.int64).astype(np.uint32)
    u = x - cell
    w = u - F(1)
    seed = np.uint32(seed)
    p, q = fma(-u, u, F(1)), fma(-w, w, F(1))
    p, q = p * p, q * q
    p, q = p * p, q * q
    return fma(p * lattice_slope(whole ^ seed), u, (q * lattice_slope((whole + np.uint32(1)) ^ seed)) * w)


def coordinates(start, count):
    """start + n mod 8, to which 8 is added n / 8 times, each time with a rounding."""
    block = F(start) + np.arange(8, dtype=F)
    blocks = []
    for _ in range((count + 7) // 8):
        blocks.append(block)
        block = block + F(8)
    return np.concatenate(blocks)[:count] if blocks else np.zeros(0, F)


def noise_along_row(row, generator, intensity, frequency, detail):
    """Adds noise to a row, in place; the frequency is that of the setting divided by the horizontal scale."""
    seed = generator.bits32()
    start = F(generator.float() * F(len(row)))
    x = coordinates(start, len(row)) * F(frequency)
    total = gradient_noise(x, seed)
    for _ in range(1, min(max(detail, 1), 5)):
        x = x * F(2)
        total = gradient_noise(x, seed) + total
    row += total * F(F(intensity) * F(0.25))


def pcg_first(i, j, k):
    mask = 0xFFFFFFFF
    x, y, z = ((each * 1664525 + 1013904223) & mask for each in (i & mask, j & mask, k & mask))
    x = (x + y * z) & mask
    y = (y + z * x) & mask
    z = (z + x * y) & mask
    x, y, z = x ^ (x >> 16), y ^ (y >> 16), z ^ (z >> 16)
    return (x + y * z) & mask


def simplex_noise(x, y, seed):
    skew, unskew = np.uint32(0x3EBB67AE).view(F), np.uint32(0x3E58658C).view(F)
    s = F(F(x + y) * skew)
    ip, jp = np.floor(F(x + s)), np.floor(F(y + s))
    i, j = int(ip), int(jp)
    t = F(F(i + j) * unskew)
    x0, y0 = F(x - F(ip - t)), F(y - F(jp - t))
    di, dj = (1, 0) if x0 >= y0 else (0, 1)
    corners = (
        (i, j, x0, y0), (i + di, j + dj, F(F(x0 - F(di)) + unskew), F(F(y0 - F(dj)) + unskew)),
        (i + 1, j + 1, F(F(x0 - F(1)) + F(F(2) * unskew)), F(F(y0 - F(1)) + F(F(2) * unskew))))
    total = F(0)
    for number, (ci, cj, cx, cy) in enumerate(corners):
        bits = pcg_first(ci, cj, seed) & 7
        a, b = F(-1 if bits & 1 else 1), F(-2 if bits & 2 else 2)
        gx, gy = (b, a) if bits & 4 else (a, b)
        w = max(F(0), fma(cy, -cy, fma(cx, -cx, F(0.5))))
        w = F(w * w)
        w = F(w * w)
        part = F(w * F(F(gx * cx) + F(gy * cy)))
        total = part if number == 0 else F(total + part)
    return total


# Filters: a pair of the coefficients b0 to b3 and a0 to a3

def one_pole(cutoff, rate):
    period = F(F(1) / F(rate))
    constant = F(F(1) / F(F(F(cutoff) * F(2)) * PI))
    alpha = F(period / F(constant + period))
    return [alpha, F(0), F(0), F(0)], [F(1), F(-F(F(1) - alpha)), F(0), F(0)]


def constant_k(cutoff, rate):
    b, a = one_pole(cutoff, rate)
    p = a[1]
    two = F(p + p)
    square = F(p * p)
    return ([F(F(b[0] * b[0]) * b[0]), F(0), F(0), F(0)],
            [F(1), F(two + p), F(square + F(two * p)), F(square * p)])


def butterworth(cutoff, rate):
    w = F(F(min(F(F(2) * F(cutoff)), F(rate)) / F(rate)) * PI)
    alpha = F(np.sin(w) / F(F(2) * F(0.70710677)))
    gain = F(F(1) / F(F(1) + alpha))
    b1 = F(F(F(1) - np.cos(w)) * gain)
    b0 = F(F(F(F(1) - np.cos(w)) * F(0.5)) * gain)
    return [b0, b1, b0, F(0)], [F(1), F(F(F(-2) * np.cos(w)) * gain), F(F(F(1) - alpha) * gain), F(0)]


def lowpass(kind, cutoff, rate):
    return constant_k(cutoff, rate) if kind == CONSTANT_K else butterworth(cutoff, rate)


def notch(frequency, quality):
    beta = F(np.tan(F(F(F(F(frequency) / F(quality)) * PI) * F(0.5))))
    gain = F(F(1) / F(F(1) + beta))
    middle = F(F(F(-2) * np.cos(F(F(frequency) * PI))) * gain)
    return [gain, middle, gain, F(0)], [F(1), middle, F(F(F(2) * gain) - F(1)), F(0)]


def mixed(flt, amount):
    b, a = flt
    rest = F(F(1) - F(amount))
    return [F(F(F(amount) * bk) + F(rest * ak)) for bk, ak in zip(b, a)], a


def run(flt, rows, delay=0, settled=False):
    """The rows through a filter that starts at rest or settled, moved to the left by the delay."""
    (b0, b1, b2, b3), (_, a1, a2, a3) = flt
    count, width = rows.shape
    z1 = z2 = z3 = np.zeros(count, F)
    if settled:
        first = rows[:, 0]
        d = F(F(F(b1 - F(a1 * b0)) + F(b2 - F(a2 * b0))) / F(F(1) + F(a1 + a2)))
        z1 = np.where(first == 0, F(0), first * d)
        z2 = np.where(first == 0, F(0), first * F(F(F(F(1) + a1) * d) - F(b1 - F(a1 * b0))))
    longer = np.concatenate([rows] + [rows[:, -1:]] * delay, axis=1)
    out = np.empty_like(longer)
    for x in range(width + delay):
        value = longer[:, x]
        y = fma(b0, value, z1)
        z1 = fma(-a1, y, fma(b1, value, z2))
        z2 = fma(-a2, y, fma(b2, value, z3))
        z3 = fma(-a3, y, b3 * value)
        out[:, x] = y
    return out[:, delay:]


CARRIER_NOTCH = notch(0.5, 2)


def row_shift(row, shift, repeats=False):
    """The row moved to the right by a fraction of samples; samples outside are 0, or repeat the edges."""
    shift = F(shift)
    whole = int(shift) - (1 if shift < 0 else 0)
    part = F(shift - F(whole)) if shift >= 0 else F(F(1) - F(F(int(shift)) - shift))
    places = np.arange(len(row)) - whole

    def sample(at):
        inside = (at >= 0) & (at < len(row))
        return np.where(inside | repeats, row[np.clip(at, 0, len(row) - 1)], F(0))

    return sample(places) * F(F(1) - part) + sample(places - 1) * part


def streaks(row, generator, amount, anisotropy, hs):
    """Adds short streaks to a row, in place."""
    p, a = float(F(amount)), float(F(anisotropy))
    u = generator.double()
    with np.errstate(all="ignore"):
        logistic = np.exp(np.float64(u - p) / np.float64(p * (1 - p) * (1 - a)))
        q = (a / (1 + logistic) + p * (1 - a)) * 0.125
    if not q > 0:
        return
    q = min(q, 1.0)
    position = -64
    while True:
        position += generator.geometric(q)
        if position >= len(row):
            return
        length = F(generator.uniform(8, 64) * hs)
        period = generator.uniform(F(length * F(3)), F(length * F(5)))
        generator.jump()
        grain = generator.copy()
        for x in range(max(position, 0), min(position + math.ceil(length), len(row))):
            along = F(x - position)
            fade = F(F(1) - F(along / length))
            wave = F(np.cos(F(F(along * PI) / period)) * F(fade * fade))
            row[x] = F(row[x] + F(wave * grain.uniform(-1, 2)))
        position += 1


# The carriers of SECAM

SECAM_RATE, BELL = 17_734_475.0, 4_286_000.0
# Frequencies without chroma, and deviations for chroma of 1, of Db and of Dr.
RESTS, DEVIATIONS = (4_250_000, 4_406_250), (230_000, 280_000)


def angle(hertz):
    """Turn of a carrier relative to a quarter of the sample rate, in radians per sample."""
    return 2 * math.pi * (hertz - SECAM_RATE / 4) / SECAM_RATE


def emphasis(rate):
    q = F(F(rate) / F(PI * F(85_000)))
    third = F(q / F(3))
    below = F(F(1) + third)
    return ([F(F(F(1) + q) / below), F(F(F(1) - q) / below), F(0), F(0)],
            [F(1), F(F(F(1) - third) / below), F(0), F(0)])


def deemphasis(rate):
    b, a = emphasis(rate)
    return [F(F(1) / b[0]), F(a[1] / b[0]), F(0), F(0)], [F(1), F(b[1] / b[0]), F(0), F(0)]


class Signal:
    """The stages of one field; `settings` has the keys of a preset."""

    def __init__(self, settings, frame, picture_height):
        self.s = settings
        self.standard = settings.get("standard", NTSC)
        self.frame = frame
        k = F(F(picture_height) / PICTURE_ROWS[self.standard]) if settings["scale_with_video_size"] else F(1)
        self.hs, self.vs = F(F(settings["bandwidth_scale"]) * k), F(F(settings["vertical_scale"]) * k)
        if not settings["scale_settings"]:
            self.hs = self.vs = F(1)
        self.carrier = CARRIERS[self.standard]
        self.rate = F(F(F(4) * self.carrier) * self.hs)
        self.distance = COMB_DISTANCES[self.standard]
        self.is_secam = self.standard == SECAM
        # Part of chroma that the colour killer leaves.
        self.colour = F(1)
        # 0 in the first recording.
        self.generation = 0

    def seed(self, stage, *items, has_frame=True):
        start = [((self.s["random_seed"] + 2654435769 * self.generation) & 0xFFFFFFFF, 8), (stage, 8)]
        return sip_hash(*start, *([(self.frame, 8)] if has_frame else []), *items)

    def rows(self, key):
        return rounded(F(F(self.s[key]) * self.vs))

    def lowpass(self, cutoff):
        return lowpass(self.s["filter_type"], cutoff, self.rate)

    def line(self, row):
        """Number of a line of 625 in eight fields, after which the carrier of PAL repeats."""
        return 625 * ((self.frame >> 1) % 4) + 313 * (self.frame % 2) + row

    def phase(self, row):
        offset = self.s["video_scanline_phase_shift_offset"]
        if self.standard == PAL:
            # The nearest quarter of a period to 283.7516 periods for each line.
            return (3 * self.line(row) + (4 * self.line(row) + 312) // 625 + offset) % 4
        if self.is_secam:
            return (2 * (self.line(row) % 3 == 2) + 2 * (self.frame % 2) + offset) % 4
        shift = self.s["video_scanline_phase_shift"]
        if shift == 0:
            return 0
        if shift == 2:
            return (((self.frame + 2 * row) & 2) + offset) & 3
        return (self.frame + offset + row) & 3

    def sign(self, row):
        """Sign of V in PAL, which alternates from row to row."""
        return F(-1 if self.standard == PAL and self.line(row) % 2 else 1)

    def play(self, field):
        self.black_line(field)
        self.move_chroma(field, INPUT)
        for stage in (
                self.input_luma_filter, self.chroma_low_pass_at_the_input, self.frequency_modulation, self.modulation,
                self.composite_sharpening, self.composite_noise, self.echo, self.co_channel_interference, self.snow,
                self.head_switching, self.tracking_noise,
                self.demodulation, self.luma_smear, self.ringing, self.luma_noise, self.discriminator,
                self.chroma_noise, self.chroma_phase_error, self.chroma_phase_noise, self.chroma_delay,
                self.delay_line):
            stage(field)
        self.record(field)
        for self.generation in range(1, self.s.get("generations", 1) if self.s["vhs_settings"] else 1):
            self.luma_noise(field)
            self.chroma_noise(field)
            self.record(field)
        # The pulses are those of the receiver, not of a recording.
        self.generation = 0
        self.chroma_low_pass(field, self.s["chroma_lowpass_out"])
        self.deflection(field)
        self.move_chroma(field, OUTPUT)

    def record(self, field):
        if self.s["vhs_settings"]:
            for stage in (self.edge_wave, self.tape_speed, self.chroma_loss, self.tape_sharpening):
                stage(field)
        self.vertical_chroma_blend(field)
        if not self.is_secam:
            for _ in range(self.s.get("yc_recombinations", 0)):
                self.modulation(field)
                self.demodulation(field, has_comb=False)

    # Encoding

    def black_line(self, field):
        width = field["Y"].shape[1]
        columns = int(F(F(width) * F(self.s.get("black_line_cut", 0))))
        for plane in field.values():
            plane[:, width - columns:] = 0

    def move_chroma(self, field, position):
        shift = F(F(self.s["chroma_delay_horizontal"]) * self.hs)
        if shift != 0 and self.s.get("chroma_delay_position", RECEIVER) == position:
            for plane in "IQ":
                for row in field[plane]:
                    row[:] = row_shift(row, F(shift * self.hs))

    def locked(self, shift):
        """A shift of a row, in whole periods of the carrier with the burst lock."""
        return F(4 * rounded(F(shift * F(0.25)))) if self.s.get("burst_lock", False) else shift

    def input_luma_filter(self, field):
        limit = LUMA_LIMITS.get(self.standard)
        if limit and limit < 0.45 * self.rate:
            field["Y"] = run(butterworth(limit, self.rate), field["Y"], delay=1, settled=True)
        kind = self.s["input_luma_filter"]
        if kind == 2:
            field["Y"] = run(CARRIER_NOTCH, field["Y"], settled=True)
        elif kind == 1 and field["Y"].shape[1] >= 2:
            field["Y"] = self.box(field["Y"])

    @staticmethod
    def box(rows):
        last = rows.shape[1] - 1
        left = np.concatenate([np.full((len(rows), 1), F(16 / 255)), rows[:, :-1]], axis=1)
        right, further = (rows[:, np.minimum(np.arange(last + 1) + step, last)] for step in (1, 2))
        return (((left + rows) + right) + further) * F(0.25)

    def chroma_low_pass_at_the_input(self, field):
        self.chroma_low_pass(field, self.s["chroma_lowpass_in"])

    def chroma_low_pass(self, field, amount):
        if amount == NONE:
            return
        if amount == LIGHT:
            limits = {"I": (2.6e6, 1), "Q": (2.6e6, 1)}
        elif self.standard != NTSC:
            limits = {"I": (1.3e6, 3), "Q": (1.3e6, 3)}
        else:
            limits = {"I": (1.3e6, 2), "Q": (0.6e6, 4)}
        for plane, (cutoff, delay) in limits.items():
            field[plane] = run(self.lowpass(cutoff), field[plane], delay=delay)

    def parts(self, values):
        """For each row, the value of the component that it transmits, of the values of Db and Dr."""
        return np.array([values[self.line(row) % 2 == 0] for row in range(self.count)], F)

    def frequency_modulation(self, field):
        if not self.is_secam:
            return
        self.count, width = field["I"].shape
        is_red = self.parts((0, 1))[:, None] == 1
        signal = run(emphasis(self.rate), np.where(is_red, field["I"], field["Q"]))
        centre = self.parts([angle(rest) for rest in RESTS])
        step = self.parts([2 * math.pi * deviation / SECAM_RATE for deviation in DEVIATIONS])
        a, b = np.ones(self.count, F), np.zeros(self.count, F)
        b0, zero, pole = self.resonance(is_receiver=False)
        before = y = np.zeros(self.count, np.complex64)
        for x in range(width):
            t = np.clip(fma(signal[:, x], step, centre), F(angle(3_900_000)), F(angle(4_756_250)))
            square = t * t
            sine = t * fma(square, fma(square, F(1 / 120), F(-1 / 6)), F(1))
            cosine = fma(square, fma(square, F(1 / 24), F(-0.5)), F(1))
            a, b = a * cosine - b * sine, a * sine + b * cosine
            z = (a + 1j * b).astype(np.complex64)
            y = b0 * z + (zero * before - pole * y)
            before = z
            field["I"][:, x], field["Q"][:, x] = y.real, -y.imag

    @staticmethod
    def resonance(is_receiver):
        """Coefficients b0, e b1 and e a1 of the resonant filter of the receiver, or of its inverse."""
        k = SECAM_RATE / (math.pi * BELL)
        above, below, gain = (2.52 * k, 32 * k, 1) if is_receiver else (32 * k, 2.52 * k, 0.115)
        turn = np.exp(1j * angle(BELL))
        return (F(gain * (1 + above) / (1 + below)), np.complex64(turn * gain * (1 - above) / (1 + below)),
                np.complex64(turn * (1 - below) / (1 + below)))

    def discriminator(self, field):
        if not self.is_secam:
            return
        self.count, width = field["I"].shape
        b0, zero, pole = self.resonance(is_receiver=True)
        centre = np.exp(1j * self.parts([angle(rest) for rest in RESTS]).astype(np.float64)).astype(np.complex64)
        step = self.parts([2 * math.pi * deviation / SECAM_RATE for deviation in DEVIATIONS])
        z = (field["I"] - 1j * field["Q"]).astype(np.complex64)
        signal = np.empty_like(field["I"])
        before = y = np.zeros(self.count, np.complex64)
        for x in range(width):
            last, y = y, b0 * z[:, x] + (zero * before - pole * y)
            n = centre * last
            power = (y.real**2 + y.imag**2) + (last.real**2 + last.imag**2)
            h = (y.imag * n.real - y.real * n.imag) / (power + F(1e-6))
            signal[:, x] = h * fma(h * h, F(8 / 6) / step, F(2) / step)
            before = z[:, x]
        result = run(deemphasis(self.rate), signal)
        field["I"], field["Q"] = result.copy(), result.copy()

    def waves(self, row, width):
        """Carriers of I and Q in a row; V has the sign of the row."""
        p = (np.arange(width) + self.phase(row)) % 4
        cosine, sine = np.array([1, 0, -1, 0], F), np.array([0, 1, 0, -1], F)
        return cosine[p] * self.sign(row), sine[p]

    def modulation(self, field):
        for row in range(len(field["Y"])):
            cosine, sine = self.waves(row, field["Y"].shape[1])
            field["Y"][row] = field["Y"][row] + (field["I"][row] * cosine + field["Q"][row] * sine)

    def composite_sharpening(self, field):
        amount = self.s["composite_preemphasis"]
        if amount != 0:
            pole = one_pole(F(F(self.carrier / F(2)) * self.hs), self.rate)
            field["Y"] = run(mixed(pole, -F(amount)), field["Y"])

    def row_noise(self, rows, stage, name, part=F(1)):
        intensity = F(F(self.s[f"{name}_intensity"]) * part)
        if not self.s[name] or intensity <= 0:
            return
        for number, row in enumerate(rows):
            noise_along_row(
                row, Generator(self.seed(stage, (number, 8))), intensity,
                F(F(self.s[f"{name}_frequency"]) / self.hs), self.s[f"{name}_detail"])

    def composite_noise(self, field):
        self.row_noise(field["Y"], 0, "composite_noise")

    def echo(self, field):
        level = F(self.s.get("ghost_level", 0))
        if level <= 0:
            return
        turn = F(F(F(self.s.get("ghost_phase", 0)) * PI) * F(2))
        cosine, sine = F(level * np.cos(turn)), F(level * np.sin(turn))
        gain = F(F(1) / F(F(1) + cosine))
        megahertz = F(self.rate * F(1e-6))
        delay = F(F(self.s.get("ghost_delay", 2)) * megahertz)
        whole = int(delay)
        part = F(delay - F(whole))
        rows = field["Y"]
        count, width = rows.shape
        # The blanking before the row, as long as the delay.
        end = -rounded(F(F(BACK_PORCHES[self.standard]) * megahertz))
        begin = -rounded(F(F(F(BACK_PORCHES[self.standard]) + F(4.7)) * megahertz))
        before = np.zeros((count, whole + 1), F)
        places = np.arange(-whole - 1, 0)
        before[:, (places >= begin) & (places < end)] = F(-0.25 / MODULATION_DEPTHS[self.standard])
        longer = np.concatenate([before, rows], axis=1)
        echo = longer[:, 1:width + 1] * F(F(1) - part) + longer[:, :width] * part
        columns = np.arange(width)
        turned = np.zeros_like(rows)
        for step in (1, 3, 5, 7):
            left, right = np.maximum(columns - step, 0), np.minimum(columns + step, width - 1)
            turned = fma(echo[:, left] - echo[:, right], F(1 / step), turned)
        field["Y"] = fma(gain, rows, fma(F(cosine * gain), echo, F(F(sine * gain) * F(2 / math.pi)) * turned))

    def line_in_field(self, row):
        return math.floor(F(F(row) / self.vs))

    def line_number(self, row):
        return self.frame * LINES_PER_FIELD[self.standard] + self.line_in_field(row)

    def co_channel_interference(self, field):
        level = self.s.get("co_channel_level", 0)
        if level <= 0:
            return
        offset = float(F(self.s.get("co_channel_offset", 10_000)))
        amplitude = level * (0.75 / MODULATION_DEPTHS[self.standard] - 0.5)
        times = np.arange(field["Y"].shape[1]) / float(self.rate)
        for row, signal in enumerate(field["Y"]):
            start = self.line_number(row) / LINE_RATES[self.standard]
            signal += (amplitude * np.cos(2 * np.pi * offset * (start + times))).astype(F)

    def reception_noise(self, field):
        """Noise of a weak station; a row begins with its porch, whose mean is black."""
        part = min(F(F(self.s["snow_intensity"]) * F(0.01)), F(1))
        count, width = field["Y"].shape
        sigma = F(part / F(F(3) * F(MODULATION_DEPTHS[self.standard])))
        bandwidth = F(BANDWIDTHS[self.standard])
        porch = max(1, rounded(F(F(64) * self.hs)))
        columns = np.arange(porch + width, dtype=np.uint32)
        noise = np.empty((count, porch + width), F)
        is_limited = bandwidth < F(0.45) * self.rate
        if is_limited:
            sigma = F(sigma * np.sqrt(F(self.rate / F(F(2) * bandwidth))))
        for row in range(count):
            numbers = lattice_hash(columns ^ np.uint32(self.seed(6, (row, 8)) & 0xFFFFFFFF))
            sums = sum((numbers >> np.uint32(shift)) & np.uint32(255) for shift in (0, 8, 16, 24))
            noise[row] = (sums.astype(F) - F(510)) * F(1 / 147.8) * sigma
        if is_limited:
            noise = run(butterworth(bandwidth, self.rate), noise)
        total = np.zeros(count, F)
        for x in range(porch):
            total = total + noise[:, x]
        black = total * F(F(1) / F(porch))
        field["Y"] = fma(F(F(1) - part), field["Y"], noise[:, porch:] - black[:, None])
        if not self.is_secam:
            self.colour = min(max(F(F(F(0.75) - part) * F(4)), F(0)), F(1))

    def snow(self, field):
        if self.s["snow_intensity"] > 0 and self.s.get("snow_model", 0) == 1:
            self.reception_noise(field)
        elif self.s["snow_intensity"] > 0:
            for number, row in enumerate(field["Y"]):
                amount = F(F(self.s["snow_intensity"]) * F(0.01))
                streaks(row, Generator(self.seed(6, (number, 8))), amount, self.s["snow_anisotropy"], self.hs)

    def head_switching(self, field):
        height, offset = self.rows("head_switching_height"), self.rows("head_switching_offset")
        if not self.s["head_switching"] or offset >= height:
            return
        count, width = field["Y"].shape
        for k in range(1, min(height - offset, count) + 1):
            row = field["Y"][count - k]
            part = F(np.power(F(F(k + offset) / F(height)), F(1.5)))
            jitter = F(unit(self.seed(2, (k, 8))) - F(0.5))
            shift = F(F(F(F(self.s["head_switching_horizontal_shift"]) * part) + jitter) * self.hs)
            shift = self.locked(shift)
            if k < height - offset or not self.s["head_switching_start_mid_line"]:
                row[:] = row_shift(row, shift)
                continue
            j0, j1 = unit(self.seed(8, (0, 4))), unit(self.seed(8, (1, 4)))
            jitter = F(F(F(F(j0 + j1) * F(0.5)) - F(0.5)) * F(self.s["head_switching_mid_line_jitter"]))
            start = max(0, int(F(F(width) * F(F(self.s["head_switching_mid_line_position"]) + jitter))))
            if start > width:
                continue
            row[start:] = row_shift(row, shift)[start:]
            length = F(F(16) * self.hs)
            for x in range(start, min(width, start + math.ceil(length))):
                fade = F(F(1) - F(F(x - start) / length))
                row[x] = F(row[x] + F(F(F(fade * fade) * fade) * F(F(j0 + F(0.5)) * F(0.5))))

    def tracking_noise(self, field):
        height = self.rows("tracking_noise_height")
        if not self.s["tracking_noise"] or height <= 0:
            return
        count = len(field["Y"])
        start = F(unit(self.seed(3, (1, 4))) * F(count))
        wave = gradient_noise(
            coordinates(start, min(height, count)) * F(0.5), self.seed(3, (0, 4)) & 0xFFFFFFFF)
        for m in range(min(height, count)):
            k = m + max(0, height - count)
            row = field["Y"][count - height + k]
            e = F(F(k) / F(height))
            shift = F(F(F(F(wave[m] * e) * F(self.s["tracking_noise_wave_intensity"])) * F(0.25)) * self.hs)
            row[:] = row_shift(row, self.locked(shift))
            seed = self.seed(3, (2, 4), (k, 8))
            square = F(e * e)
            intensity = F(F(square * F(self.s["tracking_noise_noise_intensity"])) * F(4))
            noise_along_row(row, Generator(seed), intensity, F(F(0.25) / self.hs), 1)
            amount = F(F(self.s["tracking_noise_snow_intensity"]) * square)
            streaks(row, Generator(seed), amount, self.s["tracking_noise_snow_anisotropy"], self.hs)

    # Decoding

    def demodulation(self, field, has_comb=True):
        composite = field["Y"]
        count, width = composite.shape
        kind, d = self.s["chroma_demodulation"], self.distance
        if kind in (ONE_LINE_COMB, TWO_LINE_COMB) and (count < 2 * d or self.is_secam or not has_comb):
            kind = NOTCH
        numbers = np.arange(count)
        above = composite[np.where(numbers < d, (numbers + d) % count, numbers - d)]
        below = composite[np.where(numbers + d >= count, numbers - d, (numbers + d) % count)]
        if kind == BOX:
            luma = self.box(composite)
        elif kind == NOTCH:
            luma = run(CARRIER_NOTCH, composite)
        elif kind == NO_DEMODULATION:
            luma = composite.copy()
        elif kind == ONE_LINE_COMB:
            luma = (above + composite) * F(0.5)
        else:
            luma = (composite * F(0.5) + above * F(0.25)) + below * F(0.25)
        chroma = luma - composite
        field["Y"], field["I"], field["Q"] = luma, np.empty_like(luma), np.empty_like(luma)
        for row in range(count):
            for plane, wave in zip("IQ", self.waves(row, width)):
                signal = np.concatenate([[F(0)], chroma[row] * -wave, [F(0)]])
                field[plane][row] = signal[1:-1] + F(0.5) * (signal[:-2] + signal[2:])

    def luma_smear(self, field):
        amount = self.s["luma_smear"]
        if amount > 0:
            cutoff = F(np.exp2(F(F(-4) * F(amount))) * F(0.25))
            field["Y"] = run(one_pole(cutoff, self.hs), field["Y"])

    def ringing(self, field):
        if self.s["ringing"]:
            frequency = min(max(F(F(self.s["ringing_frequency"]) / self.hs), F(0)), F(1))
            flt = mixed(notch(frequency, self.s["ringing_power"]), self.s["ringing_scale"])
            field["Y"] = run(flt, field["Y"], delay=1, settled=True)

    def luma_noise(self, field):
        self.row_noise(field["Y"], 10, "luma_noise")

    def chroma_noise(self, field):
        if self.generation == 0:
            field["I"], field["Q"] = field["I"] * self.colour, field["Q"] * self.colour
        part = F(0) if self.s["chroma_demodulation"] == NO_DEMODULATION else self.colour
        self.row_noise(field["I"], 1, "chroma_noise", part)
        self.row_noise(field["Q"], 9, "chroma_noise", part)

    @staticmethod
    def rotate(field, row, turns):
        angle = F(F(F(turns) * PI) * F(2))
        cosine, sine = F(np.cos(angle)), F(np.sin(angle))
        i, q = field["I"][row].copy(), field["Q"][row].copy()
        field["I"][row] = i * cosine - q * sine
        field["Q"][row] = i * sine + q * cosine

    def chroma_phase_error(self, field):
        if self.s["chroma_phase_error"] > 0 and not self.is_secam:
            for row in range(len(field["I"])):
                self.rotate(field, row, self.sign(row) * F(self.s["chroma_phase_error"]))

    def chroma_phase_noise(self, field):
        intensity = F(self.s["chroma_phase_noise_intensity"])
        if intensity > 0 and not self.is_secam:
            for row in range(len(field["I"])):
                chance = unit(self.seed(4, (row, 8)))
                self.rotate(field, row, F(F(F(chance - F(0.5)) * F(2)) * intensity))

    def delay_line(self, field):
        if self.standard == PAL and self.s.get("pal_decoder", 1) == 1:
            for plane in "IQ":
                rows = field[plane]
                field[plane] = (np.concatenate([rows[:1], rows[:-1]]) + rows) * F(0.5)
        if self.is_secam:
            for row in range(len(field["I"]) - 1, 0, -1):
                missing = "Q" if self.line(row - self.rows("chroma_delay_vertical")) % 2 == 0 else "I"
                field[missing][row] = field[missing][row - 1]
            field["I"][0] = field["Q"][0] = 0

    def chroma_delay(self, field):
        down = self.rows("chroma_delay_vertical")
        for plane in "IQ":
            rows = field[plane]
            moved = np.zeros_like(rows)
            for row in range(len(rows)):
                if 0 <= row - down < len(rows):
                    moved[row] = rows[row - down]
            field[plane] = moved
        self.move_chroma(field, RECEIVER)

    def edge_wave(self, field):
        if not self.s["vhs_edge_wave_enabled"] or self.s["vhs_edge_wave"] <= 0:
            return
        count = len(field["Y"])
        seed = self.seed(5, (0, 4), has_frame=False) & 0xFFFFFFFF
        start = F(unit(self.seed(5, (1, 4), has_frame=False)) * F(count))
        frequency = F(F(self.s["vhs_edge_wave_frequency"]) / self.vs)
        gain = F(0.70710677)
        for row, place in enumerate(coordinates(start, count)):
            x = F(place * frequency)
            y = F(F(F(self.frame) * F(self.s["vhs_edge_wave_speed"])) * frequency)
            total, amplitude = simplex_noise(x, y, seed), gain
            for _ in range(1, self.s["vhs_edge_wave_detail"]):
                x, y = F(x * F(2)), F(y * F(2))
                total = fma(simplex_noise(x, y, seed), amplitude, total)
                amplitude = F(amplitude * gain)
            shift = F(F(F(F(total / F(0.022)) * F(self.s["vhs_edge_wave"])) * F(0.5)) * self.hs)
            for plane in "YIQ":
                field[plane][row] = row_shift(field[plane][row], shift, repeats=True)

    def tape(self):
        """Cut-offs of luma and chroma, and the chroma delay; None without a tape."""
        return (None, (2.4e6, 320e3, 4), (1.9e6, 300e3, 5), (1.4e6, 280e3, 6))[self.s["vhs_tape_speed"]]

    def tape_speed(self, field):
        if not self.tape():
            return
        luma, chroma, delay = self.tape()
        # The delay is the same time in both standards.
        delay = rounded(F(F(F(delay) * F(self.carrier / CARRIERS[NTSC])) * self.hs))
        field["Y"] = run(self.lowpass(luma), field["Y"])
        for plane in "IQ":
            field[plane] = run(self.lowpass(chroma), field[plane], delay=delay)
        if self.generation == 0:
            field["Y"] = run(mixed(one_pole(luma, self.rate), -1.6), field["Y"])

    def chroma_loss(self, field):
        probability = float(F(self.s["vhs_chroma_loss"]))
        generator, row = Generator(self.seed(7)), 0
        while probability > 0:
            row += generator.geometric(probability)
            if row >= len(field["I"]):
                break
            field["I"][row] = field["Q"][row] = 0
            row += 1

    def tape_sharpening(self, field):
        if self.tape() and self.s["vhs_sharpen_enabled"]:
            frequency = F(self.s["vhs_sharpen_frequency"])
            factor = 4 if self.s["filter_type"] == CONSTANT_K else 1
            cutoff = F(F(F(self.tape()[0]) * F(factor)) * frequency)
            amount = F(F(-F(self.s["vhs_sharpen"]) * F(2)) * frequency)
            field["Y"] = run(mixed(self.lowpass(cutoff), amount), field["Y"])

    @staticmethod
    def oscillator(hold, gain, count, noise, edge, pulses):
        """Phase in periods after a count of periods; the pulses are the hashes of the last ones, the latest first."""
        hold = float(F(hold))
        if abs(hold) <= 1:
            phase = math.asin(hold) / (2 * math.pi)
        else:
            beat = math.sqrt(hold * hold - 1)
            phase = math.atan(1 / hold + beat / hold * math.tan(beat * gain * count / 2)) / math.pi
        misfire = math.erfc(0.5 / noise / math.sqrt(2)) / 2 if noise > 0 else 0
        misfire = 0 if misfire < 2**-24 else misfire
        for age, number in enumerate(pulses):
            place = float(unit(number >> 32)) - 0.5
            if float(unit(number)) < misfire:
                error = math.sin(2 * math.pi * place) / (2 * math.pi)
            else:
                error = 2 * math.sqrt(3) * place * noise * edge
            phase += gain * (1 - gain) ** age * error
        return phase - math.floor(phase + 0.5)

    def roll(self, field):
        """Moves the rows of the field down by the phase of the field oscillator."""
        hold, noise = self.s.get("vertical_hold", 0), float(F(self.s.get("sync_noise", 0)))
        if hold == 0 and noise == 0:
            return
        pulses = [self.seed(12, (self.frame - age, 8), has_frame=False) for age in range(32)]
        phase = self.oscillator(hold, 0.25, self.frame, noise / 6, 0, pulses)
        count = len(field["Y"])
        period = count + max(1, rounded(count * BLANKING[self.standard][1]))
        down = rounded(phase * period)
        sources = (np.arange(count) - down) % period
        for plane in "YIQ":
            longer = np.concatenate([field[plane], np.zeros((period - count, field[plane].shape[1]), F)])
            field[plane] = longer[sources]

    def deflection(self, field):
        hold, noise = self.s.get("horizontal_hold", 0), float(F(self.s.get("sync_noise", 0)))
        if hold == 0 and noise == 0:
            return
        count, width = field["Y"].shape
        period = width + max(2, rounded(width * BLANKING[self.standard][0]))
        edge = 0.5e-6 * LINE_RATES[self.standard]
        for row in range(count):
            line = self.line_in_field(row)
            pulses = [self.seed(11, (line - age, 8)) for age in range(48)]
            shift = self.oscillator(hold, 0.125, self.line_number(row), noise, edge, pulses) % 1 * period
            whole = math.floor(shift)
            part = F(shift - whole)
            near = (np.arange(width) - whole) % period
            far = (near - 1) % period
            for plane in "YIQ":
                longer = np.concatenate([field[plane][row], np.zeros(period - width, F)])
                field[plane][row] = longer[near] * F(F(1) - part) + longer[far] * part

    def vertical_chroma_blend(self, field):
        if self.s["vhs_chroma_vert_blend"] and not self.is_secam:
            for plane in "IQ":
                rows = field[plane]
                above = np.concatenate([np.zeros((self.distance, rows.shape[1]), F), rows])[:len(rows)]
                field[plane] = (above + rows) * F(0.5)


def fields(settings, frame, interlace, height):
    """The fields of a picture: pairs of a slice of its rows and the frame number of the field."""
    upper, lower, every = slice(0, height, 2), slice(1 if height > 1 else 0, height, 2), slice(0, height)
    mode = {"tff": INTERLEAVED_UPPER, "bff": INTERLEAVED_LOWER}.get(interlace, settings["use_field"])
    if interlace in ("top", "bottom"):
        return [(upper if interlace == "top" else lower, 2 * frame)]
    if mode == ALTERNATING:
        mode = UPPER if frame % 2 else LOWER
    if mode == BOTH:
        return [(every, frame)]
    if mode in (UPPER, LOWER):
        return [(upper if mode == UPPER else lower, frame)]
    first = mode == INTERLEAVED_UPPER
    numbers = (2 * frame, 2 * frame + 1) if first else (2 * frame + 1, 2 * frame)
    return [(upper, numbers[0])] + ([(lower, numbers[1])] if height > 1 else [])


def to_signal(rgb, standard):
    r, g, b = (rgb[..., index] for index in range(3))

    def weighted(weights):
        return fma(r, F(weights[0]), fma(g, F(weights[1]), b * F(weights[2])))

    return {"Y": weighted((0.299, 0.587, 0.114)), "I": weighted(TO_CHROMA[standard][0]),
            "Q": weighted(TO_CHROMA[standard][1])}


def to_rgb(planes, standard):
    return np.stack([fma(planes["Q"], F(q), fma(planes["I"], F(i), planes["Y"]))
                     for i, q in FROM_CHROMA[standard]], axis=-1)


def play(rgb, settings, frame, interlace="progressive"):
    """A picture after the signal path: rows of R', G' and B' from 0 to 1, not clamped."""
    standard = settings.get("standard", NTSC)
    height = len(rgb)
    planes = to_signal(rgb, standard)
    played = {name: plane.copy() for name, plane in planes.items()}
    runs = fields(settings, frame, interlace, height)
    for rows, number in runs:
        field = {name: np.ascontiguousarray(plane[rows]) for name, plane in planes.items()}
        signal = Signal(settings, number, height)
        signal.roll(field)
        signal.play(field)
        for name, plane in field.items():
            played[name][rows] = plane
    rows = runs[0][0]
    result = rgb.copy()
    if len(runs) == 1 and rows.step == 2 and interlace == "progressive":
        for y in range(height):
            if (y - rows.start) % 2:
                near = [other for other in (y - 1, y + 1) if rows.start <= other < height]
                for plane in played.values():
                    plane[y] = plane[near[0]] if len(near) == 1 else (plane[near[1]] + plane[near[0]]) * F(0.5)
        return to_rgb(played, standard)
    for rows, _ in runs:
        result[rows] = to_rgb(played, standard)[rows]
    return result
