# SPDX-License-Identifier: BSD-3-Clause
"""Parameter studies: plans, their tables, and their rows on the workers of Dask."""
import collections.abc
import dataclasses
import functools
import itertools

import numpy

from . import _scenes, _stickslip
from ._results import _unknown


class _Columns(dict):
    """Arrays by name."""

    def __missing__(self, name):
        raise _unknown("column", name, self)


@dataclasses.dataclass
class SweepTable:
    """The table of a sweep: parameters["mu"] (n), quantities["height"] (n) or (n, k), NaN where there is none, status (n),
    the exit status that `stickslip run` would have, message, a text for each row, and steps (n).
    """

    parameters: dict
    quantities: dict
    status: numpy.ndarray
    message: list
    steps: numpy.ndarray

    def to_pandas(self):
        """A pandas.DataFrame: parameters, quantities, those of several numbers as name.1, name.2, ..., status, message."""
        import pandas

        columns = dict(self.parameters)
        for name, values in self.quantities.items():
            if values.ndim == 1:
                columns[name] = values
            else:
                columns.update((f"{name}.{k + 1}", values[:, k]) for k in range(values.shape[1]))
        columns.update(status=self.status, message=self.message)
        return pandas.DataFrame(columns).rename_axis("row")

    def __repr__(self):
        return f"<stickslip.SweepTable: {len(self.status)} rows, {int((self.status == 0).sum())} with status 0>"


def _version():
    import stickslip

    return f"{stickslip.__version__} (commit {stickslip.__commit__})"


@functools.lru_cache(maxsize=4)
def _sweep_of(plan, name, scene, files):
    return _stickslip.sweep_of(plan, name, scene, dict(files))


def run_rows(version, parts, values):
    """On a worker: runs rows of a sweep of this version."""
    if version != _version():
        raise RuntimeError(f"this worker has stickslip {_version()}; the sweep is of {version}")
    return _sweep_of(*parts).run_rows(values)


def _run_on_dask(sweep, table, client):
    """Sends the rows that the table lacks to Dask, some at a time, and writes what comes back."""
    from distributed import as_completed

    pending = numpy.array(table.pending(), dtype=numpy.int64)
    *parts, files = sweep.parts()
    parts = (*parts, tuple(files.items()))
    # A worker that dies takes the rows of its task along; a task costs the scheduler a millisecond.
    most_rows = 64
    size = max(1, min(most_rows, len(pending) // (8 * max(1, sum(client.nthreads().values())))))
    chunks = (pending[first:first + size] for first in range(0, len(pending), size))
    under_way = {}

    def submit():
        """Some tasks more than there are threads; workers may come and go."""
        futures = []
        wanted = 4 * max(1, sum(client.nthreads().values())) - len(under_way)
        for rows in itertools.islice(chunks, max(0, wanted)):
            future = client.submit(run_rows, _version(), parts, sweep.values(rows), pure=False)
            under_way[future.key] = future, rows
            futures.append(future)
        return futures

    try:
        done = as_completed(submit())
        for future in done:
            result = future.result()
            _, rows = under_way.pop(future.key)
            table.record(rows, *result)
            done.update(submit())
    finally:
        table = None
        client.cancel([future for future, _ in under_way.values()])


def sweep(plan, output=None, *, jobs=None, client=None, force=False):
    """Runs a plan's rows, as `stickslip sweep` does and to the same bits; returns a SweepTable.

    plan: a path or a dictionary, whose scene may be a dictionary or a Scene, too. output: the table's file, which goes on
    where one of the same plan and scene is there (None: in memory alone); force: writes over another file. jobs: threads
    (None: one for each processor). client: a dask.distributed.Client, whose workers need this package alone, of this
    version. Raises InputError and WriteError.
    """
    if isinstance(plan, collections.abc.Mapping):
        tables, text, file = dict(plan), None, ""
        if isinstance(tables.get("scene"), collections.abc.Mapping):
            scene = tables["scene"]
            scene = scene if isinstance(scene, _scenes.Scene) else _scenes.Scene(scene)
            text, file = scene._text(), scene._file
            tables["scene"] = file
        made = _stickslip.make_sweep({"sweep": 1, **tables}, text, file)
    else:
        made = _stickslip.load_sweep(plan)
    if jobs is not None and jobs < 1:
        raise ValueError("jobs: at least 1")
    table = _stickslip.open_sweep_table(made, output, force)
    try:
        if client is None:
            table.run(jobs or 0)
        else:
            _run_on_dask(made, table, client)
        read = table.read()
    finally:
        table = None  # closes the file, though an exception may keep this frame
    return SweepTable(_Columns(read["parameters"]), _Columns(read["quantities"]), read["status"], read["message"], read["steps"])
