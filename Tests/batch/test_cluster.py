"""Tests the number of segments that the workers of a cluster render at the same time."""

import math
import pickle
import subprocess
import sys
import unittest
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import dask
from distributed import Client, LocalCluster, Security
from support import PATIENCE

from render import task
from render.batch import Batch
from render.cluster import RESOURCE, Connection, connect_locally
from render.refusal import Refusal
from render.remote import ByValue, _Client, _keys, connect


def _worker(threads: int, **resources: float) -> dict[str, Any]:
    return {"nthreads": threads, "resources": resources}


class TaskTests(unittest.TestCase):
    def test_tasks_can_be_unpickled_without_the_package(self) -> None:
        """Newer versions of Dask pickle a function as a part of a larger object, which is a list in this test."""
        for function in (task.render_segment, task.watch_film):
            run = subprocess.run(
                [sys.executable, "-Ic", "import pickle, sys; print(pickle.load(sys.stdin.buffer)[0].__name__)"],
                input=pickle.dumps([ByValue(function)]), capture_output=True, timeout=PATIENCE)
            self.assertEqual(run.stdout.decode(), f"{function.__name__}\n", run.stderr)

    def test_tasks_of_a_film_share_one_function_with_its_name(self) -> None:
        """If the tasks did not share it, the client would pickle the function for each segment."""
        client = mock.Mock(spec=_Client)
        with mock.patch.object(Client, "submit") as submit:
            for number in range(2):
                _Client.submit(client, task.render_segment, number)
        first, second = (call.args[0] for call in submit.call_args_list)
        self.assertIs(first, second)
        self.assertEqual(first.__name__, "render_segment")


class SlotTests(unittest.TestCase):
    def slots(self, *workers: dict[str, Any]) -> int:
        """Number of slots for which the program divides the film with these workers."""
        batch = Batch(SimpleNamespace(folder=Path("/no/such/folder")), None)
        batch._connection = Connection(None, {}, False, ExitStack(), dict(enumerate(workers)), math.inf)
        return batch._slots(0)

    def test_worker_renders_a_segment_on_each_thread(self) -> None:
        self.assertEqual(self.slots(_worker(8), _worker(16)), 24)

    def test_resource_limits_a_worker_to_one_segment_if_all_have_it(self) -> None:
        one = _worker(8, **{RESOURCE: 1.0})
        self.assertEqual(self.slots(one, one), 2)
        self.assertEqual(self.slots(one, _worker(8, **{RESOURCE: 2.0}), _worker(1, **{RESOURCE: 2.0})), 4)
        self.assertEqual(self.slots(one, _worker(8)), 16)

    def test_number_of_threads_is_read_from_dask(self) -> None:
        with LocalCluster(n_workers=2, threads_per_worker=3, processes=False, dashboard_address=None) as cluster:
            connection = connect(cluster.scheduler_address, [])
            self.addCleanup(connection.close)
            self.assertEqual(connection.slots(), 6)

    def test_encrypted_scheduler_is_used_with_a_certificate(self) -> None:
        """The configuration of Dask has the path or, as in this test, the text of the certificate."""
        keys = _keys()
        names = {"ca-file": "tls_ca_file", "client.cert": "tls_client_cert", "client.key": "tls_client_key"}
        with LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None, host="127.0.0.1",
                          protocol="tls://", security=Security(require_encryption=True, **keys)) as cluster:
            self.assertTrue(cluster.scheduler_address.startswith("tls://127.0.0.1:"))
            with self.assertRaisesRegex(Refusal, "tls://127.0.0.1:.* needs a certificate"):
                connect(cluster.scheduler_address, [])
            for given, slots in ((keys, 2), (_keys(), None)):
                config = {f"distributed.comm.tls.{name}": given[field] for name, field in names.items()}
                with dask.config.set(config), mock.patch("render.remote._TIMEOUT", "2s"):
                    if slots is None:
                        self.assertRaisesRegex(Refusal, "cannot connect", connect, cluster.scheduler_address, [])
                        continue
                    connection = connect(cluster.scheduler_address, [])
                    self.assertEqual(connection.slots(), slots)
                    connection.close()

    def test_local_worker_renders_one_segment(self) -> None:
        connection = connect_locally(3)
        self.addCleanup(connection.close)
        self.assertEqual(connection.slots(), 3)


if __name__ == "__main__":
    unittest.main()
