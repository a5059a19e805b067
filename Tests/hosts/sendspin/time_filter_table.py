"""Prints Tests/Golden/sendspin/time-filter.csv: measurements, and the state of the reference time filter after each.

Requires Python 3.12 and the package aiosendspin:

    python3.12 -m venv ~/sendspin-venv && ~/sendspin-venv/bin/pip install aiosendspin==10.2.1
    ~/sendspin-venv/bin/python Tests/hosts/sendspin/time_filter_table.py > Tests/Golden/sendspin/time-filter.csv

A row without a measurement starts a new filter. States are hexadecimal numbers, which are exact.
"""

import random

from aiosendspin.client.time_sync import SendspinTimeFilter


def measurements(name):
    """Yields measured offset, highest error and local time, in whole microseconds."""
    numbers = random.Random(name)
    count, interval, drift, delay = {
        "network": (60, 3_000_000, 80e-6, 400),
        "wireless": (60, 700_000, -35e-6, 9_000),
        "loopback": (30, 200_000, 0.0, 0),
        "step": (140, 10_000_000, 12e-6, 150),
        "epoch": (40, 5_000_000, -150e-6, 2_000),
    }[name]
    start = {"epoch": 1_700_000_000_000_000}.get(name, 86_400_000_000)
    time = numbers.randrange(1_000_000, 10_000_000)
    for index in range(count):
        error = numbers.randrange(delay, 3 * delay + 1) if delay else 0
        step = 5_000 if name == "step" and index >= 115 else 0
        offset = start + step + round(drift * time) + numbers.randint(-error, error)
        yield offset, error, time
        # Repeat a time sometimes, because the filter must ignore times that do not increase.
        time += 0 if index % 17 == 16 else numbers.randrange(interval // 2, interval)


def main():
    for name in ("network", "wireless", "loopback", "step", "epoch"):
        print(name)
        reference = SendspinTimeFilter()
        for offset, error, time in measurements(name):
            reference.update(offset, error, time)
            state = (
                reference._offset, reference._drift, reference._offset_covariance,
                reference._offset_drift_covariance, reference._drift_covariance,
            )
            later = time + 12_345_678
            server = reference.compute_server_time(later)
            fields = [offset, error, time, *(value.hex() for value in state)]
            fields += [later, server, reference.compute_client_time(server)]
            print(",".join(str(field) for field in fields))


if __name__ == "__main__":
    main()
