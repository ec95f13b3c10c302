# SPDX-License-Identifier: Apache-2.0
"""Calls of compiled models: what goes in, what comes out, from where."""

import asyncio
import contextvars
import gc
import threading
import weakref

import numpy as np
import pytest
from small_models import DEVICE, add_one, compiled_add_one, compiled_two

import cuvil

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_numpy_in_gives_numpy_out():
    y = compiled_add_one()(X)
    assert isinstance(y, np.ndarray) and y.dtype == np.float32
    assert y.flags.writeable and y.ctypes.data % 64 == 0
    np.testing.assert_array_equal(y, X + 1)


def test_results_do_not_share_memory():
    first = compiled_add_one()(X)
    second = compiled_add_one()(X + 1)
    np.testing.assert_array_equal(first, X + 1)
    np.testing.assert_array_equal(second, X + 2)


def test_open_sizes_change_from_call_to_call():
    for n in (5, 1, 0, 17, 5):
        x = np.full((n, 3), 2, np.float32)
        y = compiled_add_one()(x)
        assert y.shape == (n, 3)
        np.testing.assert_array_equal(y, x + 1)


@pytest.mark.parametrize("dtype", ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64",
                                   "f16", "f32", "f64"])
def test_every_numeric_dtype_of_numpy(dtype):
    numpy_dtype = {"i": "int", "u": "uint", "f": "float"}[dtype[0]] + dtype[1:]
    x = np.arange(6).astype(numpy_dtype).reshape(2, 3)
    y = compiled_add_one(dtype)(x)
    assert y.dtype == x.dtype
    np.testing.assert_array_equal(y, x + 1)


def test_bool():
    graph = cuvil.Graph()
    x = graph.input("x", "bool", [4])
    graph.output("y", ~x)
    x = np.array([True, False, True, True])
    y = cuvil.compile(graph, device=DEVICE)(x)
    assert y.dtype == np.bool_
    np.testing.assert_array_equal(y, ~x)


def test_bf16_as_ml_dtypes_and_torch():
    import ml_dtypes
    import torch
    model = compiled_add_one("bf16")
    y = model(X.astype(ml_dtypes.bfloat16))
    assert y.dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(y.astype(np.float32), X + 1)
    t = model(torch.from_numpy(X).bfloat16())
    assert t.dtype == torch.bfloat16
    assert torch.equal(t, torch.from_numpy(X).bfloat16() + 1)


@pytest.mark.parametrize("view", [
    lambda x: x.T, lambda x: x[::-1, ::-1], lambda x: x[:, ::2], lambda x: x[0],
    lambda x: np.broadcast_to(x[:1], (5, 6)), lambda x: np.asfortranarray(x)])
def test_strided_inputs(view):
    x = view(np.arange(24, dtype=np.float32).reshape(4, 6))
    graph = cuvil.Graph()
    graph.output("y", graph.input("x", "f32", [f"d{i}" for i in range(x.ndim)]) * 2)
    np.testing.assert_array_equal(cuvil.compile(graph, device=DEVICE)(x), x * 2)


def test_read_only_and_unaligned_and_big_endian_inputs():
    x = X.copy()
    x.flags.writeable = False
    np.testing.assert_array_equal(compiled_add_one()(x), X + 1)
    raw = np.zeros(X.nbytes + 1, np.uint8)
    odd = raw[1:].view(np.float32).reshape(2, 3)
    odd[:] = X
    np.testing.assert_array_equal(compiled_add_one()(odd), X + 1)
    np.testing.assert_array_equal(compiled_add_one()(X.astype(">f4")), X + 1)


def test_scalars_and_empty_tensors():
    scalar = compiled_add_one("f32", ())
    y = scalar(np.float32(2))
    assert y.shape == () and y == 3
    assert scalar(np.array(2, np.float32)) == 3
    assert compiled_add_one()(np.zeros((0, 3), np.float32)).shape == (0, 3)


def test_inputs_by_name():
    model = compiled_two()
    a, b = np.arange(3, dtype=np.float32), np.ones(3, np.float32)
    for results in (model(a, b), model(a, b=b), model(b=b, a=a), model({"a": a, "b": b}),
                    model({"a": a}, b=b)):
        assert isinstance(results, tuple)
        np.testing.assert_array_equal(results[0], a - b)
        np.testing.assert_array_equal(results[1], a * b)


def test_out():
    y = np.zeros((2, 3), np.float32)
    assert compiled_add_one()(X, out=y) is y
    np.testing.assert_array_equal(y, X + 1)
    wide = np.zeros((2, 6), np.float32)
    compiled_add_one()(X, out=wide[:, ::2])
    np.testing.assert_array_equal(wide[:, ::2], X + 1)
    assert not wide[:, 1::2].any()
    model, a = compiled_two(), np.arange(3, dtype=np.float32)
    out = (np.zeros(3, np.float32), np.zeros(3, np.float32))
    assert model(a, a, out=out) is out
    np.testing.assert_array_equal(out[1], a * a)
    model(a, a, out={"difference": out[1], "product": out[0]})
    np.testing.assert_array_equal(out[0], a * a)


def test_out_may_be_the_input():
    x = X.copy()
    compiled_add_one()(x, out=x)
    np.testing.assert_array_equal(x, X + 1)


def test_torch_in_gives_torch_out():
    import torch
    x = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    y = compiled_add_one()(x)
    assert isinstance(y, torch.Tensor) and not y.requires_grad
    assert torch.equal(y, x + 1)
    assert torch.equal(compiled_add_one()(x.T.contiguous().T), x + 1)
    out = torch.zeros(2, 3)
    assert compiled_add_one()(x, out=out) is out
    assert torch.equal(out, x + 1)
    y += 1
    assert torch.equal(compiled_add_one()(x), x + 1)


def test_torch_parameters_run_only_without_grad():
    import torch
    x = torch.ones(2, 3, requires_grad=True)
    with pytest.raises(cuvil.PreconditionError, match="'x' requires grad") as error:
        compiled_add_one()(x)
    assert "no_grad" in error.value.hint
    with torch.no_grad():
        y = compiled_add_one()(x)
    assert not y.requires_grad and torch.equal(y, torch.full((2, 3), 2.0))


def test_any_dlpack_tensor():
    class Wrapped:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **kwargs):
            return self.array.__dlpack__(**kwargs)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    y = compiled_add_one()(Wrapped(X))
    assert isinstance(y, np.ndarray)
    np.testing.assert_array_equal(y, X + 1)


def test_memory_is_freed_with_its_array():
    class Tracked(np.ndarray):
        pass

    x = X.copy().view(Tracked)
    alive = weakref.ref(x)
    compiled_add_one()(x)
    del x
    gc.collect()
    assert alive() is None


def test_one_model_on_many_threads():
    model, failures = compiled_add_one(), []

    def work(k: int):
        for i in range(200):
            x = np.full((k + 1, 3), i, np.float32)
            if not np.array_equal(model(x), x + 1):
                failures.append((k, i))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_acall_keeps_loop_and_context():
    model = compiled_add_one()
    variable = contextvars.ContextVar("variable")

    async def one(i: int):
        variable.set(i)
        y = await model.acall(np.full((2, 3), i, np.float32))
        assert variable.get() == i
        return float(y[0, 0])

    async def many():
        return await asyncio.gather(*(one(i) for i in range(50)))

    assert asyncio.run(many()) == [i + 1.0 for i in range(50)]


def test_acall_raises_in_the_task():
    async def wrong():
        await compiled_add_one().acall(np.zeros((2, 4), np.float32))

    with pytest.raises(cuvil.InputError, match="'x'"):
        asyncio.run(wrong())


def test_a_cancelled_acall_does_no_harm():
    async def cancelled():
        task = asyncio.ensure_future(compiled_add_one().acall(X))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await compiled_add_one().acall(X)

    np.testing.assert_array_equal(asyncio.run(cancelled()), X + 1)


def test_descriptions():
    model = compiled_two()
    assert [str(i) for i in model.inputs] == ["a: f32[n]", "b: f32[n]"]
    assert [o.name for o in model.outputs] == ["difference", "product"]
    report = model.report()
    assert sum(report.coverage().values()) >= 2
    assert "placement" in str(report)
    profile = model.profile(np.ones(4, np.float32), np.ones(4, np.float32))
    assert profile["seconds"] >= 0 and "ms" in str(profile)


def test_progress_tells_stages_and_may_stop():
    stages = []
    cuvil.compile(add_one(), device=DEVICE, progress=lambda stage, seconds: stages.append(stage))
    assert len(stages) >= 3 and len(set(stages)) == len(stages)

    def stop(stage, seconds):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        cuvil.compile(add_one(), device=DEVICE, progress=stop)


def test_a_graph_compiles_twice_and_ir_is_text():
    graph = add_one()
    first, second = (cuvil.compile(graph, device=DEVICE) for _ in range(2))
    third = cuvil.compile(str(graph.build()), device=DEVICE)
    for model in (first, second, third):
        np.testing.assert_array_equal(model(X), X + 1)
