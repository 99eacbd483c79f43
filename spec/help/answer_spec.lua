-- What help() answers to everyday questions, and that it fits the terminal.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local answer = require "cudalua.help.answer"
local entries = require "cudalua.help.entries"
local page = require "cudalua.help.page"
local search = require "cudalua.help.search"

describe("help() finds", function()
  it("names of the library, and of others", function()
    for question, line in pairs {
      sort = "cuda.gpuarray.sort(a, options?)",
      ["Array:sum"] = "cuda.gpuarray.Array:sum(options?)",
      ["np.cumsum"] = "cuda.gpuarray.cumsum(a, options?)",
      ["gpuarray.cumsum"] = "cuda.gpuarray.cumsum(a, options?)",
      ["cuda.gpuarray.cumsum()"] = "cuda.gpuarray.cumsum(a, options?)",
      argsort = "cuda.gpuarray.argsort(a, options?)",
      save = "cuda.gpuarray.save(path, a)",
      ["distributed.init"] = "cuda.distributed.init(options?)",
      histogram = "cuda.gpuarray.histogram(a, bins?, options?)",
      kernel = "cuda.kernel(source, name?, opts?)",
      random = "cuda.random", dtype = "cuda.dtype", Device = "cuda.Device", stream = "cuda.Stream",
      float64 = "cuda.float64(value)",
      ["np.absolute"] = "absolute is written a:abs() here.",
      ["torch.cat"] = "cat is written gpuarray.concatenate(arrays, axis) here.",
      cudaMalloc = "cudaMalloc is written cuda.mem_alloc(bytes) here.",
      fft = "cuda.fft",
      eig = "Eigenvalues of nonsymmetric matrices are not supported; for symmetric and",
      block = "block is an option: threads in each block: up to 3 extents; required",
      pinned = "pinned is an option: allocate page-locked memory, as cuda.pagelocked_empty does",
      keepdims = "keepdims is an option: keep each reduced axis, with an extent of 1",
    } do
      assert.equal(line, answer.of_name(question, 80):match "[^\n]*", question)
    end
  end)

  it("words", function()
    for question, name in pairs {
      png = "cuda.io.load_image", memory = "cuda.mem_alloc", image = "cuda.image", stream = "cuda.Stream",
      pinned = "cuda.pagelocked_empty", absolute = "cuda.gpuarray.abs", compile = "cuda.compile", plot = "cuda.plot",
      profile = "cuda.profile", transpose = "cuda.gpuarray.transpose", event = "cuda.Event",
      random = "cuda.random", cumsum = "cuda.gpuarray.cumsum", argsort = "cuda.gpuarray.argsort",
      ["mean of each row"] = "cuda.gpuarray.mean", ["row mean"] = "cuda.gpuarray.mean",
      ["sort descending"] = "cuda.gpuarray.sort", ["how do I sort"] = "cuda.gpuarray.sort",
      ["random numbers"] = "cuda.random",
      ["shared memory"] = "cuda.Function:set_shared_size",
    } do
      assert.equal(name, (search.search(question)[1] or {}).name, question)
    end
  end)

  it("at most 15 entries, with their first sentences and what to type next", function()
    local lines = {}
    for line in (answer.of_name("host copy", 80) .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = line end
    assert.equal(17, #lines)
    assert.matches("^cuda%.gpuarray%.Array:get  Copies the elements to the host", lines[1])
    assert.matches("^%d+ more match; add a word%.$", lines[16])
    assert.equal('Type help "gpuarray.Array:get" for the first one.', lines[17])
  end)

  it("the nearest names if there is none", function()
    assert.equal('Nothing is named "srot"; help "sort", help "dot", help "from"', answer.of_name("srot", 80))
    assert.equal('Nothing is named "blokc"; help "block", help "blocks", help "clock"', answer.of_name("blokc", 80))
    assert.equal(answer.of_name("random", 80), answer.of_name("curandom", 80))
    assert.equal(answer.of_name("random", 80), answer.of_name("cuda.curandom", 80))
    assert.equal('Nothing is named "xyzzyq"; try another word, or help(cuda) for the names of the\nmodule',
      answer.of_name("xyzzyq", 80))
  end)

  it("pages and functions of linear algebra", function()
    for question, parts in pairs {
      backend = { "docs/backends.md", "\ncuda.linalg.backend(name?)" },
      linear = { "docs/backends.md", "cuda.linalg.linear(x, w, options?)" },
      cov = { "docs/signals.md", "\ncuda.gpuarray.cov(m, options?)" },
      save_safetensors = { "docs/sharing.md", "\ncuda.io.save_safetensors(path" },
      preconditioner = { "docs/sparse.md, section Solvers", "M = 'jacobi'" },
      pca = { "cuda.linalg.svd(x", "examples/30_principal_components.lua" },
      PCA = { "cuda.linalg.svd(x" },
      ["low-pass filter"] = { "docs/signals.md", "examples/29_fft_filter.lua" },
      ["moving average"] = { "a:convolve(gpuarray.full(n, 1 / n)" },
      ["fit by least squares"] = { "cuda.linalg.lstsq(a, y)" },
      lu_factor = { "cuda.linalg.solve(a, b) solves for all columns of b at once" },
      spsolve = { "docs/sparse.md, section Solvers", "cuda.sparse.gmres(A, b)" },
      LinAlgError = { "docs/matrices.md, section Singular matrices", "err.matrices" },
      csr_matrix = { "csr_matrix is written cuda.sparse.csr(x)", "\ncuda.sparse.csr(x, options?)" },
    } do
      local text = answer.of_name(question, 1000)
      for _, part in ipairs(parts) do assert.truthy(text:find(part, 1, true), question .. ": " .. text) end
      assert.is_nil(text:find("Nothing is named", 1, true), question)
    end
    for _, topic in ipairs(require("cudalua.help.topics").list) do
      local text = topic[2] or ""
      for path in text:gmatch "[%w_]+/[%w/_]+%.lua" do assert(io.open(path)):close() end
      for path in text:gmatch "docs/[%l-]+%.md" do assert(io.open(path)):close() end
    end
  end)

  it("what people ask, in its first three lines", function()
    local questions, without = require "spec.help.questions", {}
    for _, row in ipairs(questions) do
      local lines = {}
      for line in answer.of_name(row[1], 80):gmatch "[^\n]+" do lines[math.min(#lines + 1, 4)] = line end
      lines[4] = nil
      if not table.concat(lines, " "):find(row[2], 1, true) then without[#without + 1] = row[1] .. ": " .. row[2] end
    end
    assert.same({}, without)
    assert.is_true(#questions > 400)
  end)

  it("the command cudalua, which is not the module", function()
    assert.truthy(answer.of_name("distributed.init", 1000):find("the ranks that `cudalua run`, mpirun", 1, true))
    assert.truthy(answer.of_name("show_progress", 1000):find("in the `cudalua` command", 1, true))
    local index = require "cudalua.help.index"
    assert.is_nil(index:find "cuda run" or index:find "cuda build" or index:find "cuda setup")
  end)

  it("topics whose entries exist, and whose words are asked for", function()
    local topics = require "cudalua.help.topics"
    for _, topic in ipairs(topics.list) do
      for name in (topic[3] or ""):gmatch "%S+" do assert.truthy(entries.by_name["cuda." .. name], name) end
      for way in topic[1]:gmatch "%S+" do
        local words = way:gsub("[=?]", ""):gsub("%+", " ")
        assert.truthy(topics.find(words), words)
      end
    end
  end)

  it("no nearest names of words that nothing has, but the example programs", function()
    assert.equal('Nothing matches "bread of life"; try other words, or help(cuda) for the names of\n' ..
      "the module. docs/gallery.md lists example programs.", answer.of_name("bread of life", 80))
  end)

  it("the page of the manual for what has no entry, before entries", function()
    for question, entry in pairs { index = "index is an option", range = "cuda.range(name, f?, ...)",
      ["each row"] = "" } do
      local topic, rest = answer.of_name(question, 80):match "^(.-)\n\n(.*)$"
      assert.matches("docs/arrays.md, section Positions", (topic:gsub("\n", " ")), 1, true)
      assert.equal(entry, rest:sub(1, #entry), question)
    end
    local pages = {}
    for _, topic in ipairs(require("cudalua.help.topics").list) do
      local text = topic[2] or ""
      for path, section in text:gmatch "(docs/[%l-]+%.md), section (%u%l[%l ]*)" do
        pages[path .. section] = { path, section }
      end
    end
    assert.truthy(next(pages))
    for _, page_of in pairs(pages) do
      local text = assert(io.open(page_of[1])):read "*a"
      assert.truthy(text:find("\n## " .. page_of[2] .. "\n", 1, true), page_of[2])
    end
  end)

  it("the page of each family of names", function()
    for name, path in pairs { sort = "reductions", cumsum = "reductions", matmul = "matrices", ["linalg.solve"] =
      "matrices", convolve = "signals", ["fft.rfft"] = "fourier", ["image.resize"] = "filters",
      ["linalg.backend"] = "backends", ["io.save_safetensors"] = "sharing", reshape = "arrays", devices = "devices" } do
      assert.matches("\n  manual +docs/" .. path .. "%.md", answer.of_name(name, 80))
      assert.truthy(assert(io.open("docs/" .. path .. ".md")):read("*a"):find(name:match "[%w_]+$", 1, true), name)
    end
  end)
end)

describe("An entry's page", function()
  setup(gpu.context)

  it("has the signature, the text, parameters, what is returned and raised, and where to read on", function()
    assert.equal([[
cuda.gpuarray.sort(a, options?)

Returns the elements sorted along an axis in ascending order, as NumPy's sort.
The sort is stable: equal elements keep their order, and -0 equals 0. NaN is
greater than everything, so NaNs come last, or first with descending. Complex
numbers are sorted by their real parts, then by their imaginary parts. `a:sort {
out = a }` sorts the array itself.

  call      sort(a: any, axis: any, options: table) cuda.gpuarray.Array
  a         (cuda.gpuarray.Array) an array with at least one axis
  options?  {axis: integer, descending: boolean, out: cuda.gpuarray.Array,
            stream: cuda.Stream, allocator: function}. The axis can also come
            before this table. axis: the last one by default. descending: sort
            in descending order; default: false. out: an array that receives the
            result; it may be a
  returns   cuda.gpuarray.Array
  raises    LogicError for a 0-d array, an axis out of range, elements of a
            struct type, and if out has another shape

  method    a:sort(options?)
  manual    docs/reductions.md
  see also  cuda.gpuarray.argsort, cuda.gpuarray.searchsorted]], answer.of_value("sort", 80))
  end)

  it("of a class has its methods, of a module its names", function()
    local text = answer.of_value(cuda.Event(), 80)
    assert.matches("^cuda%.Event\n", text)
    assert.matches("\n  :time_since +%S", text)
    text = answer.of_value(cuda.random, 80)
    assert.matches("^cuda%.random\n\nRandom numbers%.\n\n  classes +Generator ", text)
    assert.matches(" choice default exponential ", (text:gsub("%s+", " ")))
  end)

  it("of a function of options describes them", function()
    assert.matches("\noptions\n  block  ", answer.of_value(cuda.kernel "__global__ void k(int *x) { *x = 1; }", 80))
    assert.matches("\n  options  allocator, axis, descending, out, stream\n", answer.of_name("argsort", 80))
  end)

  it("says what help() is for if the value is none of the library's", function()
    assert.matches("^function string%.rep is Lua's own: https://", answer.of_value(string.rep, 80))
    assert.matches("answer_spec%.lua:%d+ is not a function of the library%. :source shows its lines%.$",
      answer.of_value(function() end, 200))
    assert.matches("^There is no help for a number%.", answer.of_value(5, 80))
    assert.matches("^The value is nil: no variable has this name%.", answer.of_value(nil, 80))
  end)

  it("fits the width", function()
    local wide = {}
    for _, entry in ipairs(entries.list) do
      for _, width in ipairs { 60, 80, 100 } do
        for line in (page.entry(entry, width) .. "\n"):gmatch "(.-)\n" do
          local of_words = line:gsub("^  %S+  +", ""):find "%S%s+%S" -- and not of one long word
          if #line > width and of_words then wide[#wide + 1] = entry.name .. ": " .. line end
        end
      end
    end
    assert.same({}, wide)
    for line in (answer.start(80) .. "\n"):gmatch "(.-)\n" do assert.is_true(#line <= 80, line) end
  end)

  it("about how to start has chunks that run", function()
    local repl, lines, out = require "cudalua.repl", {}, {}
    for line in answer.start(80):gmatch "\n    > ([^\n]*)" do lines[#lines + 1] = line end
    lines[#lines + 1] = "a"
    assert.equal(6, #lines)
    repl.run { env = setmetatable({}, { __index = _G }), input = function() return table.remove(lines, 1) end,
      output = function(text) out[#out + 1] = text end }
    assert.equal("[[ 0.  2.  4.]\n [ 6.  8. 10.]]\n[3. 5. 7.]\n[[1. 2. 3.]\n [4. 5. 6.]]\n", table.concat(out))
  end)
end)
