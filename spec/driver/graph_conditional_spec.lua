local ffi = require "ffi"
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda

local soft = gpu.soft and require "cudalua.softgpu"

describe("conditional nodes", function()
  local mod, down, set, add, collatz, s
  before_each(function()
    gpu.context()
    if not mod then
      mod = cuda.SourceModule [[
        // cudaGraphSetConditional in a comment, and its use below
        __global__ void down(cudaGraphConditionalHandle h, int *n) { cudaGraphSetConditional(h, --*n > 0); }
        __global__ void set(cudaGraphConditionalHandle h, unsigned value) { cudaGraphSetConditional(h, value); }
        __global__ void set_from(cudaGraphConditionalHandle h, const int *value) { cudaGraphSetConditional(h, *value); }
        __global__ void add(int *a, int value) { *a += value; }
        __global__ void collatz(cudaGraphConditionalHandle h, unsigned *n, unsigned *steps) {
          *n = *n % 2 ? 3 * *n + 1 : *n / 2;
          ++*steps;
          cudaGraphSetConditional(h, *n != 1);
        }
      ]]
      down, set, add, collatz = mod:get_function "down", mod:get_function "set", mod:get_function "add",
        mod:get_function "collatz"
    end
    s = cuda.Stream "non_blocking"
  end)

  local function ints(...) return cuda.to_device(ffi.new("int[?]", select("#", ...), ...)) end
  local function int_of(mem, i)
    local host = ffi.new "int[1]"
    cuda.memcpy_dtoh(host, mem + 4 * (i or 0))
    return host[0]
  end
  local function run(x)
    x:launch(s)
    s:synchronize()
    return x
  end

  it("cuda.Graph:condition and cuda.Graph:add_conditional: while runs its body until the value is 0", function()
    local n, sum = ints(7), ints(0)
    local g = cuda.Graph()
    local more = g:condition{ default = 1 }
    local loop = g:add_conditional{ "while", condition = more }
    assert.equal("conditional", loop.kind)
    assert.equal("while", loop.params.kind)
    local body = loop.bodies[1]
    local first = body:add_kernel{ add, args = { sum, 3 }, block = 1 }
    body:add_kernel{ down, args = { more, n }, block = 1, after = first }
    g:add_kernel{ add, args = { sum, 1000 }, block = 1, after = loop }
    local x = g:instantiate()
    run(x)
    assert.equal(7 * 3 + 1000, int_of(sum))
    cuda.memcpy_htod(n, ffi.new("int[1]", 2))
    run(x) -- the default counts at each launch
    assert.equal(1021 + 2 * 3 + 1000, int_of(sum))
  end)

  it("while gives what a loop on the host gives", function()
    local g = cuda.Graph()
    local n, steps = ints(0), ints(0)
    local more = g:condition{ default = 1 }
    local loop = g:add_conditional{ kind = "while", condition = more }
    loop.bodies[1]:add_kernel{ collatz, args = { more, n, steps }, block = 1 }
    local x = g:instantiate()
    for start = 2, 27 do
      local m, expected = start, 0
      repeat
        m = m % 2 == 1 and 3 * m + 1 or m / 2
        expected = expected + 1
      until m == 1
      cuda.memcpy_htod(n, ffi.new("int[1]", start))
      cuda.memset_d32_async(steps, 0, 1, s)
      run(x)
      assert.equal(expected, int_of(steps))
    end
  end)

  it("if has one body or two, and a kernel before it decides", function()
    local yes, no, value = ints(0), ints(0), ints(0)
    local g = cuda.Graph()
    local c = g:condition()
    local set_from = mod:get_function "set_from"
    local decide = g:add_kernel{ set_from, args = { c, value }, block = 1 }
    local node = g:add_conditional{ "if", condition = c, bodies = 2, after = decide }
    assert.equal(2, #node.bodies)
    node.bodies[1]:add_kernel{ add, args = { yes, 1 }, block = 1 }
    node.bodies[2]:add_kernel{ add, args = { no, 1 }, block = 1 }
    local x = g:instantiate()
    for _, v in ipairs { 1, 0, 5, 0, 0 } do
      cuda.memcpy_htod(value, ffi.new("int[1]", v))
      run(x)
    end
    assert.equal(2, int_of(yes))
    assert.equal(3, int_of(no))
  end)

  it("switch runs the body of its number, or none", function()
    local cells, value = ints(0, 0, 0), ints(0)
    local g = cuda.Graph()
    local c = g:condition{ default = 1 }
    local decide = g:add_kernel{ mod:get_function "set_from", args = { c, value }, block = 1 }
    local node = g:add_conditional{ "switch", condition = c, bodies = 3, after = decide }
    for i, body in ipairs(node.bodies) do
      local copy = body:add_memcpy{ dst = cells + 4 * (i % 3), src = cells + 4 * (i - 1), bytes = 4 }
      body:add_kernel{ add, args = { cells + 4 * (i - 1), 10 ^ (i - 1) }, block = 1, after = copy }
    end
    local x = g:instantiate()
    local model = { 0, 0, 0 }
    for _, v in ipairs { 2, 0, 1, 7, 1, 3, 0 } do
      cuda.memcpy_htod(value, ffi.new("int[1]", v))
      run(x)
      if v < 3 then
        model[(v + 1) % 3 + 1] = model[v + 1]
        model[v + 1] = model[v + 1] + 10 ^ v
      end
    end
    for i = 1, 3 do assert.equal(model[i], int_of(cells, i - 1)) end
  end)

  it("bodies hold loops, child graphs and captured work", function()
    local outer_n, inner_n, count = ints(3), ints(0), ints(0)
    local g = cuda.Graph()
    local outer, inner = g:condition{ default = 1 }, g:condition()
    local loop = g:add_conditional{ "while", condition = outer }
    local body = loop.bodies[1]
    local reset = body:add_memset{ dst = inner_n, value = 4, count = 1, bits = 32 }
    local on = body:add_kernel{ set, args = { inner, 1 }, block = 1, after = reset }
    local nested = body:add_conditional{ "while", condition = inner, after = on }
    local part = cuda.Graph()
    part:add_kernel{ add, args = { count, 1 }, block = 1 }
    local child = nested.bodies[1]:add_child{ part }
    nested.bodies[1]:add_kernel{ down, args = { inner, inner_n }, block = 1, after = child }
    assert.equal(body, s:capture(function() down(outer, outer_n, { block = 1 }) end, { into = body, after = nested }))
    local x = g:instantiate()
    run(x)
    assert.equal(3 * 4, int_of(count))
    cuda.memcpy_htod(outer_n, ffi.new("int[1]", 2))
    run(x)
    assert.equal(12 + 2 * 4, int_of(count))
  end)

  it("nodes in bodies can be changed in the executable graph", function()
    local n, a, b = ints(2), ints(0), ints(0)
    local g = cuda.Graph()
    local c = g:condition{ default = 1 }
    local loop = g:add_conditional{ "while", condition = c }
    local work = loop.bodies[1]:add_kernel{ add, args = { a, 1 }, block = 1 }
    loop.bodies[1]:add_kernel{ down, args = { c, n }, block = 1, after = work }
    local x = g:instantiate()
    run(x)
    assert.equal(2, int_of(a))
    x:set_kernel(work, { args = { b, 5 } })
    a:free()
    cuda.memcpy_htod(n, ffi.new("int[1]", 3))
    run(x)
    assert.equal(15, int_of(b))
    b:free()
    gpu.raises("LogicError", "a DeviceAllocation that the graph uses was freed", x.launch, x, s)
  end)

  it("the restrictions of conditional nodes are told before the driver sees them", function()
    local n = ints(1)
    local g, other = cuda.Graph(), cuda.Graph()
    local c = g:condition{ default = 0 }
    local function bad(text, record) gpu.raises("LogicError", text, g.add_conditional, g, record) end
    bad("kind must be", { "until", condition = c })
    bad("while has 1 bodies", { "while", condition = c, bodies = 2 })
    bad("if has 1 or 2 bodies", { "if", condition = c, bodies = 3 })
    bad("switch has 1 or more", { "switch", condition = c, bodies = 0 })
    bad("the result of g:condition()", { "if" })
    bad("the result of g:condition()", { "if", condition = 5 })
    gpu.raises("LogicError", "another graph", other.add_conditional, other, { "if", condition = c })
    gpu.raises("LogicError", "default", g.condition, g, { default = -1 })
    gpu.raises("LogicError", "default", g.condition, g, { default = 2 ^ 32 })
    gpu.raises("LogicError", "1 condition of the graph has no conditional node", g.instantiate, g)
    local node = g:add_conditional{ "if", condition = c }
    bad("condition: another node uses", { "if", condition = c })
    local body = node.bodies[1]
    gpu.raises("LogicError", "only", body.add_host, body, { function() end })
    gpu.raises("LogicError", "only", body.add_event_record, body, { cuda.Event() })
    gpu.raises("LogicError", "only", body.add_event_wait, body, { cuda.Event() })
    gpu.raises("LogicError", "closed with its graph", body.close, body)
    gpu.raises("LogicError", "runs with its graph", body.instantiate, body)
    gpu.raises("LogicError", "cannot be a node of another graph", other.add_child, other, { g })
    gpu.raises("LogicError", "cannot be a node of another graph", other.add_child, other, { body })
    body:add_kernel{ down, args = { c, n }, block = 1 }
    local x = g:instantiate()
    gpu.raises("LogicError", "one executable graph at a time", g.instantiate, g)
    x:close()
    g:instantiate()
    run(g:instantiate()) -- nobody has the one before any more
    g:close()
    gpu.raises("LogicError", "gone", body.add_empty, body)
  end)

  it("what other code put into a body is looked at when the graph is instantiated", function()
    ffi.cdef [[
      typedef struct { void (*fn)(void *); void *data; } SpecHostParams;
      int cuGraphAddHostNode(void **, void *, void *const *, size_t, const SpecHostParams *);
      void srand(unsigned);
    ]]
    local driver = ffi.load(cuda.driver_info().path)
    local g = cuda.Graph()
    local body = g:add_conditional{ "if", condition = g:condition{ default = 0 } }.bodies[1]
    local node, params = ffi.new "void *[1]", ffi.new "SpecHostParams"
    params.fn = ffi.cast("void (*)(void *)", ffi.C.srand)
    if driver.cuGraphAddHostNode(node, ffi.cast("void *", body:handle()), nil, 0, params) ~= 0 then
      return assert.same({}, body:nodes()) -- the driver itself refuses it
    end
    gpu.raises("LogicError", 'body 1 of a conditional node has a node of kind "host"', g.instantiate, g)
  end)

  it("a loop without an end is stopped: by the time limit", function()
    if not soft then pending "a GPU has no such limit" end
    local out = gpu.child([[
      local cuda = require "cudalua"
      local g = cuda.Graph()
      g:add_conditional{ "while", condition = g:condition{ default = 1 } }
      local x = g:instantiate():launch()
      print((select(2, pcall(cuda.Context.synchronize))).name)
    ]], "CUDALUA_DRIVER=soft CUDALUA_SOFT_TIMEOUT=0.2 CUDALUA_SOFT_REPORT=off")
    assert.matches("CUDA_ERROR_LAUNCH_TIMEOUT", out)
  end)

  it("a loop without an end is stopped: by Ctrl-C", function()
    if not soft then pending "a GPU's loop goes on" end
    local out = gpu.child([[
      local cuda = require "cudalua"
      local ffi = require "ffi"
      jit.off()
      ffi.cdef "int getpid(void);"
      cuda.interrupts(true)
      local g = cuda.Graph()
      local loop = g:add_conditional{ "while", condition = g:condition{ default = 1 } }
      local memory = cuda.mem_alloc(4)
      loop.bodies[1]:add_memset{ dst = memory, value = 3, count = 4 }
      local x = g:instantiate():launch()
      os.execute(("(sleep 0.3; kill -INT %d) >/dev/null 2>&1 &"):format(ffi.C.getpid()))
      local ok, err = pcall(cuda.Context.synchronize)
      print(ok, cuda.is_error(err, "InterruptError"), tostring(err):match "conditional node was stopped after")
      cuda.interrupts(false)
      g:close()
      x:close()
      local host = ffi.new "int[1]" -- the device is well
      cuda.memcpy_dtoh(host, memory)
      print(host[0] == 0x03030303)
    ]], "CUDALUA_DRIVER=soft CUDALUA_SOFT_STREAMS=deferred")
    assert.matches("false\ttrue\tconditional node was stopped after\ntrue\n", out)
  end)

  it("a handle outside of its graph is a fault with a report", function()
    if not soft then pending "a GPU does not look at it" end
    local out = gpu.child([[
      local cuda = require "cudalua"
      local k = cuda.kernel "__global__ void k(unsigned long long h) { cudaGraphSetConditional(h, 1); }"
      k(12345, { block = 1 })
      print(select(2, pcall(cuda.Context.synchronize)))
    ]], "CUDALUA_DRIVER=soft CUDALUA_SOFT_REPORT=off")
    assert.matches("cudaGraphSetConditional of the handle 0x3039", out)
  end)
end)
