local gpu = require "spec.support.gpu"

local plain = gpu.driver .. " CUDA_DEVICE=0"

-- Runs code in a second Lua state of the same process and thread, closes it, and says what is left.
local second_state = [[
  local ffi = require "ffi"
  ffi.cdef "typedef struct lua_State lua_State; lua_State *luaL_newstate(void); void luaL_openlibs(lua_State *);"
  ffi.cdef "int luaL_loadstring(lua_State *, const char *); int lua_pcall(lua_State *, int, int, int);"
  ffi.cdef "const char *lua_tolstring(lua_State *, int, size_t *); void lua_close(lua_State *);"
  ffi.cdef "int cuCtxGetCurrent(void **);"
  local cuda = require "cudalua"
  cuda.init()
  local driver, now = ffi.load(cuda.driver_info().path), ffi.new "void *[1]"
  local L = ffi.C.luaL_newstate()
  ffi.C.luaL_openlibs(L)
  local status = ffi.C.luaL_loadstring(L, CODE)
  if status == 0 then status = ffi.C.lua_pcall(L, 0, 0, 0) end
  if status ~= 0 then print(ffi.string(ffi.C.lua_tolstring(L, -1, nil))) end
  driver.cuCtxGetCurrent(now)
  local inside = now[0] ~= nil
  ffi.C.lua_close(L)
  driver.cuCtxGetCurrent(now)
  local live = cuda.driver_info().soft and require("cudalua.softgpu").stats().live_contexts or 0
  print(inside, now[0] == nil, live, require("cudalua.core").failed_destroys())
]]

describe("autoinit", function()
  it("autoinit.context and autoinit.device are those of the default device", function()
    local out, ok = gpu.child([[
      local autoinit = require "cudalua.autoinit"
      local cuda = require "cudalua"
      assert(cuda.Context.get_current() == autoinit.context)
      assert(autoinit.context:get_device() == autoinit.device)
      assert(cuda.mem_alloc(16):ptr() > 0)
      io.write(autoinit.device:ordinal())
    ]], plain)
    assert.equal("0", out)
    assert.is_true(ok)
    out = gpu.child([[io.write(require("cudalua.autoinit").device:ordinal())]],
      "CUDALUA_DRIVER=soft CUDALUA_SOFT_DEVICES=3 CUDA_DEVICE=2")
    assert.equal("2", out)
  end)

  it("autoinit.context is destroyed when the state closes", function()
    local out = gpu.child(second_state:gsub("CODE", function()
      return "[==[ local a = require 'cudalua.autoinit' x = require('cudalua').mem_alloc(64) ]==]"
    end), plain)
    assert.equal("true\ttrue\t0\t0\n", out)
    -- Whatever order things end in, a process that has finished its script leaves nothing.
    out = gpu.child([[require "cudalua.autoinit"]], "CUDALUA_DRIVER=soft CUDALUA_SOFT_LEAKS=on")
    assert.equal("", out)
  end)

  it("autoprimaryctx.context and autoprimaryctx.device: the primary context, current", function()
    local out, ok = gpu.child([[
      local auto = require "cudalua.autoprimaryctx"
      local cuda = require "cudalua"
      assert(cuda.Context.get_current() == auto.context)
      assert(cuda.Device(0):retain_primary_context() == auto.context)
      assert(auto.device == cuda.Device(0))
      io.write "fine"
    ]], plain)
    assert.equal("fine", out)
    assert.is_true(ok)
  end)

  it("autoprimaryctx.context is released when the state closes", function()
    local out = gpu.child(second_state:gsub("CODE", function()
      return "[==[ require 'cudalua.autoprimaryctx' x = require('cudalua').mem_alloc(64) ]==]"
    end), plain)
    assert.truthy(out:find "^true\t%a+\t0\t0\n$")
  end)
end)
