# Calls app.lua from Python. Each error is a string that says what is wrong.
import os
import sys

sys.setdlopenflags(os.RTLD_NOW | os.RTLD_GLOBAL)  # makes the functions of lupa's LuaJIT visible to core.so
from lupa import luajit21

lua = luajit21.LuaRuntime()
lua.execute("package.path = ... .. '/?.lua;' .. package.path", os.path.dirname(os.path.abspath(__file__)))
app = lua.require("app")


def show(function, *arguments):
    try:
        print(function(*arguments))
    except luajit21.LuaError as error:
        print(error)


show(app.total, 5)
show(app.total, 5, "flot32")  # a dtype that does not exist
show(app.reserve, 2**50)  # more memory than the device has
show(app.fill, 100, 101)  # stores one element too many; found on the software device
