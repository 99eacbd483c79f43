# Hands arrays to Python and back, under lupa. Ends with "fine" if every element is where it belongs.
import gc
import os
import sys

sys.setdlopenflags(os.RTLD_NOW | os.RTLD_GLOBAL)  # makes the functions of lupa's LuaJIT visible to core.so
from lupa import luajit21

lua = luajit21.LuaRuntime()
lua.execute("""
cuda = require "cudalua"
on_device = cuda.interop.to_python(cuda.gpuarray.arange(6):reshape(2, 3).T)
on_host = cuda.interop.to_python(cuda.ndarray.array({ { 1, 2 }, { 3, 4 } }, "float32"))
text = cuda.text_errors(function(object) return tostring(cuda.interop.from_python(object)) end)
add = cuda.text_errors(function(object) cuda.interop.from_python(object):iadd(10) end)
fill = cuda.text_errors(function(object) cuda.interop.from_python(object):fill(10) end)
double = cuda.text_errors(function(object) return cuda.interop.to_python(cuda.interop.from_python(object) * 2) end)
same = cuda.text_errors(function(object) return cuda.interop.to_python(cuda.interop.from_python(object)) end)
ramp = function(n) return cuda.interop.to_python(cuda.gpuarray.arange(n, "float32"):eval()) end
cuda.init()
soft = cuda.driver_info().soft
-- What the collector finds is given back behind the next wait.
function collect() collectgarbage() collectgarbage() cuda.Context.synchronize() end
""")
g = lua.globals()
WRITTEN = "[[10 13]\n [11 14]\n [12 15]]"


class Described:
    """Has the older protocol alone."""

    def __init__(self, of, **changed):
        self.__cuda_array_interface__ = {**of.__cuda_array_interface__, **changed}


class Early:
    """Knows no max_version."""

    def __init__(self, of):
        self.of = of

    def __dlpack_device__(self):
        return self.of.__dlpack_device__()

    def __dlpack__(self, *, stream=None):
        return self.of.__dlpack__(stream=stream)


class Capsule:
    """Gives a capsule twice."""

    def __init__(self, of):
        self.of, self.capsule = of, of.__dlpack__(stream=1)

    def __dlpack_device__(self):
        return self.of.__dlpack_device__()

    def __dlpack__(self, **_):
        return self.capsule


def raises(kind, text, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except kind as error:
        assert text in str(error), str(error)
        return
    raise AssertionError("it raised nothing: " + text)


assert g.on_device.__dlpack_device__() == (2, 0)
assert g.on_host.__dlpack_device__() == (1, 0)
described = g.on_device.__cuda_array_interface__
assert described["shape"] == (3, 2) and described["strides"] == (8, 24) and described["typestr"] == "<i8"
assert described["data"][1] is False and described["version"] == 3 and described["stream"] == 1
assert not hasattr(g.on_host, "__cuda_array_interface__")

g.add(g.on_device)  # the memory is shared
assert g.text(g.on_device) == WRITTEN
assert g.text(Early(g.on_device)) == WRITTEN
assert g.text(Described(g.on_device)) == WRITTEN
g.add(Described(g.on_device, data=(described["data"][0], True)))  # writes to a copy
assert g.text(g.on_device) == WRITTEN
last = described["data"][0] + 2 * 8 + 24
assert g.text(Described(g.on_device, data=(last, False), strides=(-8, -24))) == "[[15 12]\n [14 11]\n [13 10]]"
g.fill(g.on_host)  # a copy
assert g.text(g.on_host) == "[[1. 2.]\n [3. 4.]]"

for capsule in g.on_device.__dlpack__(), g.on_device.__dlpack__(stream=-1, max_version=(1, 0)), g.on_host.__dlpack__():
    assert "dltensor" in repr(capsule)  # it is not taken: its destructor gives the tensor back
del capsule
twice = Capsule(g.on_device)
assert g.text(twice) == WRITTEN
assert '"used_dltensor"' in repr(twice.capsule)
raises(luajit21.LuaError, "which is not a capsule of a tensor that is there", g.text, twice)

raises(BufferError, "not on (1, 0)", g.on_device.__dlpack__, dl_device=(1, 0))
raises(BufferError, "it is copied", g.on_host.__dlpack__, copy=False)
raises(luajit21.LuaError, "stream must be None, -1 or a positive number, got 0", g.on_device.__dlpack__, stream=0)
raises(luajit21.LuaError, "has neither __dlpack__ nor", g.text, object())
raises(luajit21.LuaError, "expected an object of Python, got 3", g.text, 3)
raises(luajit21.LuaError, "the driver does not know the memory", g.text, Described(g.on_device, data=(4096, False)))
raises(luajit21.LuaError, "unknown dtype", g.text, Described(g.on_device, typestr="<q9"))
raises(luajit21.LuaError, "masked arrays are not supported", g.text, Described(g.on_device, mask=1))
raises(luajit21.LuaError, "1 strides for 2 axes", g.text, Described(g.on_device, strides=(8,)))

try:
    import numpy
except ImportError:
    numpy = None
if numpy:
    assert numpy.from_dlpack(g.on_host).tolist() == [[1, 2], [3, 4]]
    x = numpy.arange(6.0).reshape(2, 3)
    g.fill(x[:, ::-2])
    assert x.tolist() == [[10, 1, 10], [10, 4, 10]]
    x.flags.writeable = False
    g.fill(x)  # a copy
    assert x[0, 1] == 1


def optional(name):
    """A library with arrays on the GPU: none on the software device, whose memory is the host's."""
    if g.soft:
        return None
    try:
        return __import__(name)
    except ImportError:
        return None


torch, cupy = optional("torch"), optional("cupy")
if torch:
    t = torch.from_dlpack(g.on_device)
    t += 1  # the memory is shared
    assert t.stride() == (1, 3) and g.text(g.on_device) == "[[11 14]\n [12 15]\n [13 16]]"
    u = torch.arange(6.0, device="cuda").reshape(2, 3)[:, ::2]
    g.add(u)
    assert u.tolist() == [[10, 12], [13, 15]]
    for dtype in "float16 bfloat16 float32 float64 complex64 int8 uint8 int16 int32 int64".split():
        x = torch.arange(-3, 5, device="cuda").to(getattr(torch, dtype))
        assert torch.equal(torch.from_dlpack(g.double(x)), x * 2), dtype
        assert torch.from_dlpack(g.same(x)).data_ptr() == x.data_ptr(), dtype
    flags = torch.tensor([True, False], device="cuda")
    assert torch.equal(torch.from_dlpack(g.same(flags)), flags)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):  # each waits for what the other has to do before
        x = torch.ones(1 << 22, device="cuda")
        for _ in range(50):
            x = x + 1
        y = torch.from_dlpack(g.double(x)) + 1
    side.synchronize()
    assert y.min().item() == y.max().item() == 103
    kept = torch.from_dlpack(g.ramp(1 << 20))  # nothing of Lua holds it now
    gc.collect()
    g.collect()
    others = [g.ramp(1 << 20) for _ in range(8)]
    assert kept[-1].item() == (1 << 20) - 1 and kept.sum(dtype=torch.float64).item() == (1 << 19) * ((1 << 20) - 1)
    del t, u, x, y, flags, kept, others
if cupy:
    g.fill(g.on_device)
    c = cupy.from_dlpack(g.on_device)
    c += 1
    assert g.text(g.on_device) == "[[11 11]\n [11 11]\n [11 11]]"
    c = cupy.asarray(g.on_device)  # by __cuda_array_interface__
    c *= 2
    assert g.text(g.on_device) == "[[22 22]\n [22 22]\n [22 22]]" and c.strides == (8, 24)
    x = cupy.arange(12.0).reshape(3, 4)[:, ::2]
    g.add(x)
    assert x.tolist() == [[10, 12], [14, 16], [18, 20]]
    assert cupy.from_dlpack(g.double(x)).tolist() == [[20, 24], [28, 32], [36, 40]]
    g.add(Described(x[::-1]))  # CuPy's DLPack has another number for a negative stride
    assert x.tolist() == [[20, 22], [24, 26], [28, 30]]
    raises(luajit21.LuaError, "strides[1] is", g.add, x[::-1])
    del c, x

del twice
g.on_device = None
gc.collect()
g.collect()
print("fine")
