"""PyCUDA's tests on a driver that takes PTX alone: nvcc is asked for PTX instead of a cubin, nothing else changes."""
import pycuda.compiler

compile_as_asked = pycuda.compiler.compile
TARGET = 9  # its place among the positional arguments


def compile_to_ptx(*args, **options):
    options["target"] = "ptx"
    return compile_as_asked(*args[:TARGET], **options)


pycuda.compiler.compile = compile_to_ptx
