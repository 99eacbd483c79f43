-- When work in streams runs: the software device's deferred, eager and random modes. A program that synchronises where
-- it has to computes the same in all of them; one that forgot to does not. spec/c/order_test.c and traces_test.c go
-- through many more programs, and through every legal order of small ones.
local gpu = require "spec.support.gpu"
local cuda, ffi = gpu.cuda, require "ffi"
local soft = gpu.soft and require "cudalua.softgpu"

local N = 64

describe("the order of work in streams:", function()
  local add, mix
  before_each(function()
    gpu.context()
    if add then return end
    local mod = cuda.SourceModule [[
      __global__ void add(int *a, int n, int value) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) a[i] += value;
      }
      __global__ void mix(unsigned *c, const unsigned *a, unsigned k) {
        c[threadIdx.x] = c[threadIdx.x] * 5 + a[threadIdx.x] + k;
      }
    ]]
    add, mix = mod:get_function "add", mod:get_function "mix"
  end)
  after_each(function()
    cuda.Context.synchronize()
    if soft then
      soft.streams "deferred"
      soft.log "off"
    end
  end)

  local function ints(value)
    local a = ffi.new("int[?]", N)
    for i = 0, N - 1 do a[i] = value end
    return a
  end
  local function pinned(value)
    local a = cuda.pagelocked_empty(N, "int32")
    for i = 1, N do a[i] = value end
    return a
  end
  local function plus(mem, value, stream) add(mem, N, value, { block = N, stream = stream }) end

  if not soft then
    it("softgpu.streams and softgpu.runs raise on another driver", function()
      local softgpu = require "cudalua.softgpu"
      gpu.raises("LogicError", "not in use", softgpu.streams, "eager")
      gpu.raises("LogicError", "not in use", softgpu.runs)
    end)
  end

  it("softgpu.streams sets the mode and tells it", function()
    if not soft then return pending "another driver has no modes" end
    assert.equal("deferred", soft.streams())
    for _, mode in ipairs { "eager", "random:0", "random:2147483647", "deferred" } do
      assert.equal(mode, soft.streams(mode))
      assert.equal(mode, soft.streams())
    end
    gpu.refuses_nonsense(soft.streams, { ["nil"] = true })
    for _, mode in ipairs { "", "lazy", "random", "random:", "random:-1", "random:1.5", "random:2147483648",
      "random:00000000000001", "eager\0", "eager eager", "Deferred" } do
      gpu.raises("LogicError", "softgpu.streams", soft.streams, mode)
    end
    assert.equal("deferred", soft.streams())
  end)

  it("softgpu.streams: deferred work waits, eager work is done, random work is one or the other", function()
    if not soft then return pending "another driver has no modes" end
    local s, mem, host = cuda.Stream "non_blocking", cuda.to_device(ints(1)), pinned(0)
    local function seen(mode)
      soft.streams(mode)
      host[1] = 0
      cuda.memcpy_dtoh_async(host, mem, s)
      local value = host[1]
      s:synchronize()
      assert.equal(1, host[1])
      return value
    end
    assert.equal(0, seen "deferred")
    assert.equal(1, seen "eager")
    local values = {}
    for seed = 1, 50 do
      local value = seen("random:" .. seed)
      values[value] = true
      assert.equal(value, seen("random:" .. seed)) -- a seed stands for one order
    end
    assert.same({ [0] = true, [1] = true }, values)
  end)

  it("softgpu.runs tells in which order work ran", function()
    if not soft then return pending "another driver keeps no log" end
    local a, b, mem = cuda.Stream "non_blocking", cuda.Stream "non_blocking", cuda.to_device(ints(1))
    local graph = a:capture(function()
      plus(mem, 1)
      cuda.memset_d32_async(mem, 5, N)
    end)
    local exec, orders = graph:instantiate(), {}
    for seed = 1, 200 do
      soft.streams("random:" .. seed)
      soft.log "clear"
      soft.log "on"
      cuda.memset_d32_async(mem, 7, N, cuda.legacy_stream)
      plus(mem, 1, a)
      exec:launch(b)
      cuda.Context.synchronize()
      soft.log "off"
      local names = {}
      for _, run in ipairs(soft.runs()) do
        if run.name == "launch" or run.name == "fill" then -- and not the library's own events
          local where = run.stream == a:handle() and "a" or run.stream == b:handle() and "b" or run.stream
          names[#names + 1] = run.name .. where
          assert.equal(where == "b" and (run.name == "fill" and 1 or 0) or nil, run.node)
        end
      end
      orders[table.concat(names, " ")] = true
    end
    local count = 0
    for order in pairs(orders) do
      assert.truthy(order:find "launchb.*fillb")
      count = count + 1
    end
    assert.equal(12, count) -- 4 operations, two of them in order
    soft.log "clear"
    assert.same({}, soft.runs())
  end)

  -- ---- programs with one synchronisation missing ------------------------------------------------------------

  -- The program computes `right` when it synchronises, whatever the mode; without its synchronisation it computes
  -- something else when deferred, and sometimes at random.
  local function forgets(right, program)
    for _, mode in ipairs { "deferred", "eager", "random:1", "random:2", "random:3" } do
      soft.streams(mode)
      assert.equal(right, program(true), mode)
    end
    soft.streams "deferred"
    for _ = 1, 3 do assert.are_not.equal(right, program(false)) end
    local wrong, first = 0, nil
    for seed = 1, 60 do
      soft.streams("random:" .. seed)
      if program(false) ~= right then
        wrong = wrong + 1
        first = first or seed
      end
    end
    assert.is_true(wrong > 0 and wrong < 60)
    soft.streams("random:" .. first) -- what was found can be looked at again
    assert.are_not.equal(right, program(false))
  end
  local function forgetful(name, program)
    it(name, function()
      if not soft then return pending "a GPU may well be in time" end
      program()
    end)
  end

  forgetful("a stream that does not wait for another one's event reads stale data", function()
    local a, b, done = cuda.Stream "non_blocking", cuda.Stream "non_blocking", cuda.Event()
    local x, y, host = cuda.mem_alloc(4 * N), cuda.mem_alloc(4 * N), pinned(0)
    forgets(12, function(wait)
      cuda.memset_d32(x, 2, N)
      cuda.Context.synchronize()
      plus(x, 10, a)
      done:record(a)
      if wait then b:wait_for_event(done) end
      cuda.memcpy_dtod_async(y, x, 4 * N, b)
      cuda.memcpy_dtoh_async(host, y, b)
      b:synchronize()
      local value = host[1]
      cuda.Context.synchronize()
      return value
    end)
  end)

  forgetful("page-locked memory that is read before its stream is done is stale", function()
    local s, x, host = cuda.Stream(), cuda.mem_alloc(4 * N), pinned(0)
    forgets(9, function(wait)
      host[N] = -1
      cuda.memset_d32_async(x, 4, N, s)
      plus(x, 5, s)
      cuda.memcpy_dtoh_async(host, x, s)
      if wait then s:synchronize() end
      local value = host[N]
      s:synchronize()
      return value
    end)
  end)

  forgetful("page-locked memory that changes before it has been copied arrives changed", function()
    local s, x, host = cuda.Stream(), cuda.mem_alloc(4 * N), pinned(0)
    local back = ints(0)
    forgets(3, function(wait)
      host[1] = 3
      cuda.memcpy_htod_async(x, host, s)
      if wait then s:synchronize() end
      host[1] = 4
      s:synchronize()
      cuda.memcpy_dtoh(back, x)
      return back[0]
    end)
  end)

  forgetful("the default stream does not wait for a non-blocking stream", function()
    local s, x, back = cuda.Stream "non_blocking", cuda.mem_alloc(4 * N), ints(0)
    forgets(8, function(wait)
      cuda.memset_d32(x, 1, N)
      cuda.Context.synchronize()
      plus(x, 7, s)
      if wait then s:synchronize() end
      cuda.memcpy_dtoh(back, x)
      cuda.Context.synchronize()
      return back[0]
    end)
  end)

  forgetful("a graph reads host memory when it runs, pageable memory too", function()
    local s, x, back, host = cuda.Stream "non_blocking", cuda.mem_alloc(4 * N), ints(0), ints(0)
    local exec = s:capture(function()
      cuda.memcpy_htod_async(x, host)
      plus(x, 1)
    end):instantiate()
    forgets(6, function(wait)
      host[0] = 5
      exec:launch(s)
      if wait then s:synchronize() end
      host[0] = 50
      s:synchronize()
      cuda.memcpy_dtoh(back, x)
      return back[0]
    end)
  end)

  forgetful("branches of a graph that no event orders run in any order", function()
    local s, t, x, back = cuda.Stream "non_blocking", cuda.Stream "non_blocking", cuda.mem_alloc(4 * N), ints(0)
    local fork, between, join = cuda.Event(), cuda.Event(), cuda.Event()
    local function graph(ordered)
      return s:capture(function()
        fork:record(s)
        t:wait_for_event(fork)
        if ordered then
          mix(x, x, 1, { block = N, stream = t })
          between:record(t)
          s:wait_for_event(between)
          plus(x, 3, s)
        else -- the one that is added first is the first that a device without imagination would run
          plus(x, 3, s)
          mix(x, x, 1, { block = N, stream = t })
        end
        join:record(t)
        s:wait_for_event(join)
      end):instantiate()
    end
    local execs = { [true] = graph(true), [false] = graph(false) }
    forgets(16, function(wait)
      cuda.memset_d32(x, 2, N)
      cuda.Context.synchronize()
      execs[wait]:launch(s)
      s:synchronize()
      cuda.memcpy_dtoh(back, x)
      return back[0]
    end)
  end)

  it("a source in pageable memory may change as soon as the call has returned", function()
    local s, x, host, back = cuda.Stream "non_blocking", cuda.mem_alloc(4 * N), ints(0), ints(0)
    for round = 1, 20 do
      if soft then soft.streams(round == 1 and "deferred" or round == 2 and "eager" or "random:" .. round) end
      host[0] = round
      cuda.memcpy_htod_async(x, host, s)
      host[0] = -1
      s:synchronize()
      cuda.memcpy_dtoh(back, x)
      assert.equal(round, back[0])
    end
  end)

  -- ---- random programs ----------------------------------------------------------------------------------------

  -- Sets of operations are tables; what comes before what is kept beside the calls, and events are put where two
  -- operations on the same memory would meet unordered. What should come out is computed here, in order of submission.
  local function random_program(seed)
    local state = seed * 7919 + 13
    local function below(n)
      state = (state * 1103515245 + 12345) % 2 ^ 31
      return math.floor(state / 2 ^ 16) % n
    end
    local streams = { cuda.legacy_stream, cuda.per_thread_stream, cuda.Stream(), cuda.Stream(),
      cuda.Stream "non_blocking", cuda.Stream "non_blocking" }
    local known, ops, host_knows = {}, 0, {}
    local fenced = {} -- by work, to the default stream; that an event is as good is promised nowhere
    for i = 1, #streams do known[i], fenced[i] = {}, {} end
    local function join(into, more) for op in pairs(more) do into[op] = true end end
    local function before(s)
      local k = {}
      join(k, known[s])
      join(k, host_knows)
      if s == 1 then
        for t = 2, 4 do join(k, fenced[t]) end
      elseif s <= 4 then
        join(k, fenced[1])
      end
      return k
    end

    local memories = {} -- 1 to 4 on the device, 5 and 6 page-locked
    for i = 1, 6 do
      local m = { should = {}, readers = {} }
      for k = 1, N do m.should[k] = i * 100 + k end
      m.mem = i > 4 and cuda.pagelocked_empty(N, "uint32") or cuda.mem_alloc(4 * N)
      if i > 4 then
        for k = 1, N do m.mem[k] = m.should[k] end
      else
        cuda.memcpy_htod(m.mem, ffi.new("unsigned[?]", N, m.should))
      end
      memories[i] = m
    end
    cuda.Context.synchronize()

    local function need(m, writes)
      local list = { m.writer }
      if writes then for op in pairs(m.readers) do list[#list + 1] = op end end
      return list
    end
    local stream_of = {}
    local function order(s, list)
      for _, op in ipairs(list) do
        if not before(s)[op] then
          local t = stream_of[op]
          if below(3) == 0 then
            streams[t]:synchronize()
            join(host_knows, known[t])
          else
            streams[s]:wait_for_event(cuda.Event("disable_timing"):record(streams[t]))
            known[t] = before(t)
            known[s] = before(s)
            join(known[s], known[t])
          end
        end
      end
    end
    local function submitted(s, reads, writes)
      ops = ops + 1
      stream_of[ops] = s
      local k = before(s)
      k[ops] = true
      known[s], fenced[s] = k, {}
      join(fenced[s], k)
      for _, m in ipairs(reads) do m.readers[ops] = true end
      for _, m in ipairs(writes) do m.writer, m.readers = ops, {} end
    end

    local jobs = { -- each is told what to do, and says whether it did anything
      function(stream, c, a, k)
        mix(c.mem, a.mem, k, { block = N, stream = stream })
        local was = a.should
        local now = {}
        for i = 1, N do now[i] = (c.should[i] * 5 + was[i] + k) % 2 ^ 32 end
        c.should = now
        return true
      end,
      function(stream, c, a)
        if c == a or (c.pinned and a.pinned) then return end
        if c.pinned then
          cuda.memcpy_dtoh_async(c.mem, a.mem, stream)
        elseif a.pinned then
          cuda.memcpy_htod_async(c.mem, a.mem, stream)
        else
          cuda.memcpy_dtod_async(c.mem, a.mem, 4 * N, stream)
        end
        c.should = { unpack(a.should) }
        return true
      end,
      function(stream, c, _, k)
        if c.pinned then return end
        cuda.memset_d32_async(c.mem, k, N, stream)
        for i = 1, N do c.should[i] = k end
        return true
      end,
    }
    memories[5].pinned, memories[6].pinned = true, true

    local function one_job(s)
      local c, a, k = memories[1 + below(6)], memories[1 + below(6)], below(1000)
      order(s, need(c, true))
      order(s, need(a, false))
      if jobs[1 + below(#jobs)](streams[s], c, a, k) then submitted(s, { a }, { c }) end
    end
    -- Captured in one stream, launched in another, twice; in between it may be updated to add something else.
    local function graph(s)
      local c, k = memories[1 + below(4)], below(1000)
      local function captured(value)
        return streams[6]:capture(function()
          plus(c.mem, value)
          mix(c.mem, c.mem, value, { block = N })
        end)
      end
      local exec = captured(k):instantiate()
      for _ = 1, 2 do
        order(s, need(c, true))
        exec:launch(streams[s])
        submitted(s, {}, { c })
        for i = 1, N do c.should[i] = ((c.should[i] + k) * 6 + k) % 2 ^ 32 end
        k = below(1000)
        assert.is_true((exec:update(captured(k))))
      end
    end
    -- Made, used and dropped in the order of streams.
    local function temporary(s)
      local c, a = memories[1 + below(4)], memories[1 + below(4)]
      order(s, need(a, false))
      order(s, need(c, true))
      local t = cuda.mem_alloc_async(4 * N, streams[s])
      cuda.memcpy_dtod_async(t, a.mem, 4 * N, streams[s])
      mix(c.mem, t, 1, { block = N, stream = streams[s] })
      t:free()
      submitted(s, { a }, { c })
      local now = {}
      for i = 1, N do now[i] = (c.should[i] * 5 + a.should[i] + 1) % 2 ^ 32 end
      c.should = now
    end

    for _ = 1, 40 do
      local kind, s = below(10), 1 + below(#streams)
      if kind == 0 then
        graph(s)
      elseif kind == 1 then
        temporary(s)
      elseif kind == 2 then
        streams[s]:is_done()
      else
        one_job(s)
      end
    end
    cuda.Context.synchronize()
    for i, m in ipairs(memories) do
      local is = ffi.new("unsigned[?]", N)
      if i > 4 then
        for k = 1, N do is[k - 1] = m.mem[k] end
      else
        cuda.memcpy_dtoh(is, m.mem)
      end
      for k = 1, N do
        if is[k - 1] ~= m.should[k] then
          error(("memory %d, [%d] is %d, not %d"):format(i, k - 1, is[k - 1], m.should[k]))
        end
      end
    end
    assert.is_true(ops > 20)
  end

  it("programs that synchronise compute the same in every mode", function()
    for seed = 1, 12 do
      local modes = soft and { "deferred", "eager" } or { "as it is" }
      for i = 1, soft and 6 or 0 do modes[#modes + 1] = "random:" .. seed * 100 + i end
      for _, mode in ipairs(modes) do
        if soft then soft.streams(mode) end
        local ok, err = pcall(random_program, seed)
        if not ok then error(("program %d, %s: %s"):format(seed, mode, tostring(err))) end
      end
    end
  end)
end)
