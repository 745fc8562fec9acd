"""Cycles of a piece of a Python program, without hardware counters and without root, by libcyclops.

    import cyclops

    region = cyclops.Region()
    for i in range(10000):
        with region:
            work()
    print(region.value())       # 1234.5 cycles (1228.0 to 1241.0)

What `with` itself takes is measured with an empty region and subtracted. cyclops_region.h says how a region is
measured, and what its value means. The library is found as the loader finds it; CYCLOPS_LIBRARY names another file.
"""

import ctypes
import math
import os

_EMPTY = 20000  # executions of the empty region


class _Value(ctypes.Structure):
    _fields_ = [
        ("cycles", ctypes.c_double),
        ("low", ctypes.c_double),
        ("high", ctypes.c_double),
        ("n", ctypes.c_uint64),
        ("why", ctypes.c_char_p),
    ]


def _load():
    library = ctypes.CDLL(os.environ.get("CYCLOPS_LIBRARY", "libcyclops.so.0"))
    library.cyclops_timed_region_open.restype = ctypes.c_void_p
    for name in ("begin", "end", "close"):
        function = getattr(library, "cyclops_timed_region_" + name)
        function.argtypes, function.restype = [ctypes.c_void_p], None
    library.cyclops_timed_region_value.argtypes = [ctypes.c_void_p]
    library.cyclops_timed_region_value.restype = _Value
    return library


_library = _load()


class Value:
    """Cycles of one execution: `cycles`, its interval `low` to `high`, executions `n`, and `why` it is not to be
    trusted (None: it is stable)."""

    def __init__(self, cycles, low, high, n, why):
        self.cycles, self.low, self.high, self.n, self.why = cycles, low, high, n, why

    def __str__(self):
        if math.isnan(self.cycles):
            return f"no value: {self.why}"
        mark = f"; unstable: {self.why}" if self.why else ""
        return f"{self.cycles:.1f} cycles ({self.low:.1f} to {self.high:.1f}){mark}"


class _Bare:
    """A region with what Python adds to it."""

    def __init__(self):
        self._region = _library.cyclops_timed_region_open()
        if not self._region:
            raise MemoryError("libcyclops opened no region: there is no memory, or it does not know this machine's clock")
        self._begin, self._end = _library.cyclops_timed_region_begin, _library.cyclops_timed_region_end

    def __enter__(self):
        self._begin(self._region)
        return self

    def __exit__(self, *_):
        self._end(self._region)

    def __del__(self):
        if getattr(self, "_region", None):
            _library.cyclops_timed_region_close(self._region)

    def bare_value(self):
        value = _library.cyclops_timed_region_value(self._region)
        return Value(value.cycles, value.low, value.high, value.n, value.why.decode() if value.why else None)


class Region(_Bare):
    """A region of a program; use it in a `with` statement, again and again, in one thread."""

    _empty = None

    @classmethod
    def _measure_empty(cls):
        if Region._empty is None or Region._empty.why:
            region = _Bare()
            for _ in range(_EMPTY):
                with region:
                    pass
            Region._empty = region.bare_value()
        return Region._empty

    def value(self):
        """The value of what was executed so far."""
        empty, own = self._measure_empty(), self.bare_value()
        # What `with` takes depends on the code around it, by some percent.
        around = 0.1 * empty.cycles
        why = own.why or (empty.why and f"of the empty region, {empty.why}")
        return Value(own.cycles - empty.cycles, own.low - empty.high - around, own.high - empty.low + around, own.n, why)
