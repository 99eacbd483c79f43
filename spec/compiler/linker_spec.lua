local gpu = require "spec.support.gpu"
local cuda, ffi = gpu.cuda, require "ffi"

-- Relocatable PTX for both kinds of device: what the compute_80 compiler makes of a source.
local function ptx(source)
  return (cuda.compile(source, { arch = "compute_80", options = { "-rdc=true" }, no_extern_c = true }))
end

describe("linking", function()
  local caller, callee
  setup(function()
    gpu.context()
    caller = ptx [[
      extern __device__ int triple(int);
      extern "C" __global__ void k(int *p) { *p = triple(*p); }
    ]]
    callee = ptx "__device__ int triple(int x) { return 3 * x; }"
  end)
  before_each(gpu.context)

  local function works(mod)
    local p = ffi.new("int[1]", 14)
    mod:get_function "k"(cuda.InOut(p), { block = 1 })
    return p[0]
  end

  it("cuda.Linker:add_data and cuda.Linker:link_module make one module of two images", function()
    local linker = cuda.Linker()
    assert.equal(linker, linker:add_data(caller, "ptx", "caller"))
    linker:add_data(callee, cuda.jit_input_type.PTX)
    local mod = linker:link_module()
    assert.equal(42, works(mod))
    assert.equal("string", type(mod.jit.info_log))
    gpu.raises("LogicError", "was closed at", linker.add_data, linker, callee, "ptx")
    gpu.raises("LogicError", "was closed at", linker.link_module, linker)
  end)

  it("cuda.Linker:add_file reads an image from a file", function()
    local path = os.tmpname()
    local file = assert(io.open(path, "wb"))
    file:write(callee)
    file:close()
    local mod = cuda.Linker{ log_verbose = true }:add_data(caller, "ptx"):add_file(path, "ptx"):link_module()
    os.remove(path)
    assert.equal(42, works(mod))
    local err = gpu.error_of("RuntimeError", function() cuda.Linker():add_file(path, "ptx") end)
    assert.equal(301, err.code)
  end)

  it("a missing symbol is a CompileError with the linker's log; cuda.Linker's message_handler hears it", function()
    local heard
    local linker = cuda.Linker{ message_handler = function(ok, info, err) heard = { ok, info, err } end }
    linker:add_data(caller, "ptx", "caller")
    local err = gpu.error_of("CompileError", linker.link_module, linker)
    assert.equal(300, err.code)
    assert.truthy(err.log:find "Undefined reference to '[^']*triple[^']*' in 'caller'")
    assert.is_false(heard[1])
    assert.equal(err.log, heard[3])
    assert.equal(300, gpu.error_of("CompileError", linker.link_module, linker).code) -- it stays useless
    linker:close()
    heard = nil
    linker = cuda.Linker{ message_handler = function(ok, info, log) heard = { ok, info, log } end }
    assert.equal(42, works(linker:add_data(caller, "ptx"):add_data(callee, "ptx"):link_module()))
    assert.is_true(heard[1])
  end)

  it("a symbol that is there twice is a CompileError of cuda.Linker:add_data", function()
    local linker = cuda.Linker():add_data(callee, "ptx", "one"):add_data(caller, "ptx", "caller")
    local err = gpu.error_of("CompileError", linker.add_data, linker, callee, "ptx", "other")
    assert.equal(300, err.code)
    assert.truthy(err.log:find "Multiple definition of '[^']*triple[^']*' in 'other', first defined in 'one'")
    assert.equal(300, gpu.error_of("CompileError", linker.link_module, linker).code)
    linker:close()
  end)

  it("bad PTX is a CompileError of cuda.Linker:add_data, which leaves it out", function()
    local linker = cuda.Linker():add_data(caller, "ptx")
    local err = gpu.error_of("CompileError", linker.add_data, linker,
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n nonsense.b32 %r1;\n ret;\n}\n", "ptx")
    assert.equal(218, err.code)
    assert.truthy(err.log:find("line 5; error   : ", 1, true))
    assert.equal(42, works(linker:add_data(callee, "ptx"):link_module()))
  end)

  it("cuda.Linker:close; a linker that is dropped, and one whose context is gone", function()
    local linker = cuda.Linker()
    linker:close()
    gpu.raises("LogicError", "was closed at", linker.close, linker)
    local ctx = cuda.Device(0):make_context()
    local orphan = cuda.Linker()
    ctx:detach()
    gpu.raises("LogicError", "its Context is gone", orphan.add_data, orphan, callee, "ptx")
    for _ = 1, 10 do cuda.Linker():add_data(callee, "ptx") end
    local before = require("cudalua.core").failed_destroys()
    cuda.collect()
    assert.equal(before, require("cudalua.core").failed_destroys())
  end)

  it("bad input", function()
    gpu.raises("LogicError", "unknown option 'verbose'", cuda.Linker, { verbose = true })
    gpu.raises("LogicError", "message_handler must be a function", cuda.Linker, { message_handler = 1 })
    local linker = cuda.Linker()
    gpu.raises("LogicError", "input_type", linker.add_data, linker, callee, "elf64")
    gpu.raises("LogicError", "not a complete cubin", linker.add_data, linker, "\127ELF" .. ("x"):rep(200), "cubin")
    gpu.refuses_nonsense(function(v) linker:add_data(v, "ptx") end)
    gpu.refuses_nonsense(function(v) linker:add_data(callee, "ptx", v) end, { ["nil"] = true, string = true })
    gpu.refuses_nonsense(function(v) cuda.Linker.add_data(v, callee, "ptx") end)
    gpu.refuses_nonsense(function(v) cuda.Linker.link_module(v) end)
    linker:close()
  end)
end)
