"""Makes the modules of Benchmarks/python/ab and Tests importable."""
import os
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(TOP, "Benchmarks/python/ab"), os.path.join(TOP, "Benchmarks/python/shared"),
                os.path.join(TOP, "pipelines"), os.path.join(TOP, "Tests")]
sys.dont_write_bytecode = True
