"""Encodes times into pictures as dark and light blocks, which can be read even after a lossy encoder."""
WIDTH, HEIGHT, BLOCK = 320, 240, 16
BITS = 64
PER_LINE = WIDTH // BLOCK
LINES = -(-(BITS + 8) // PER_LINE)
CAPS = f"video/x-raw,format=I420,width={WIDTH},height={HEIGHT}"
SIZE = WIDTH * HEIGHT * 3 // 2
_DARK, _LIGHT = bytes([32]) * BLOCK, bytes([220]) * BLOCK
_REST = bytes([128]) * (SIZE - LINES * BLOCK * WIDTH)


def picture(number):
    """An I420 picture that carries a 64-bit number, followed by an 8-bit sum of its bytes."""
    bits = f"{number:064b}{_check(number):08b}".ljust(LINES * PER_LINE, "0")
    rows = [bits[index:index + PER_LINE] for index in range(0, len(bits), PER_LINE)]
    return b"".join(b"".join(_LIGHT if bit == "1" else _DARK for bit in row) * BLOCK for row in rows) + _REST


def number(picture_lines):
    """Reads the number from the first lines of a picture. Returns None if the sum of its bytes is wrong."""
    places = [(line * BLOCK + BLOCK // 2) * WIDTH + column * BLOCK + BLOCK // 2
              for line in range(LINES) for column in range(PER_LINE)]
    bits = "".join("1" if picture_lines[place] > 126 else "0" for place in places)
    value, check = int(bits[:64], 2), int(bits[64:72], 2)
    return value if check == _check(value) else None


def _check(value):
    return sum(value.to_bytes(8, "big")) & 255


READ_BYTES = LINES * BLOCK * WIDTH
