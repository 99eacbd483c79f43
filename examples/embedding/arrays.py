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

del twice
g.on_device = None
gc.collect()
g.collect()
print("fine")
