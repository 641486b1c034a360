"""Processes of mpi4py that fit one model together: the collectives that the library asks for."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator, Sequence

_LONGEST = 1 << 30  # a count of MPI is an int: longer messages go in pieces


class Collectives:
    """The two collectives of the library, by an mpi4py communicator. Bytes are views of the library's memory."""

    def __init__(self, communicator: Any) -> None:
        from mpi4py import MPI  # only where someone has a communicator already

        self._communicator, self._mpi = communicator, MPI
        self.rank: int = communicator.Get_rank()
        self.size: int = communicator.Get_size()

    def all_gather(self, every: memoryview, sizes: Sequence[int]) -> None:
        """Parts of these sizes, one of each rank; the own one is there already."""
        if len(every) > _LONGEST:
            begin = 0
            for rank, size in enumerate(sizes):
                self._send(every[begin : begin + size], rank)
                begin += size
            return
        begins = [sum(sizes[:rank]) for rank in range(len(sizes))]
        self._communicator.Allgatherv(self._mpi.IN_PLACE, [every, list(sizes), begins, self._mpi.BYTE])

    def broadcast(self, content: memoryview) -> None:
        """From rank 0 to all."""
        self._send(content, 0)

    def _send(self, content: memoryview, rank: int) -> None:
        for begin in range(0, len(content), _LONGEST):
            self._communicator.Bcast([content[begin : begin + _LONGEST], self._mpi.BYTE], root=rank)


@contextlib.contextmanager
def all_or_none(communicator: Any) -> Iterator[None]:
    """An exception of one rank is one of all, so that none waits for it. None: no other ranks."""
    if communicator is None:
        yield
        return
    failure = None
    try:
        yield
    except Exception as error:
        failure = f"{type(error).__name__}: {error}"
        raise
    finally:
        failures = communicator.allgather(failure)
        others = [f"rank {rank}: {text}" for rank, text in enumerate(failures) if text is not None]
        if failure is None and others:
            raise RuntimeError(others[0])
