-- Kernels of every kind that CUDA C++ has words for (spec/softgpu/corpus), compiled by NVRTC for its architectures,
-- whose two code generators write different PTX, with the options that change what it writes. What they compute has to
-- be the same, and what they say of it has to hold. This runs a sample; all of it with CUDALUA_CORPUS=full.
local gpu = require "spec.support.gpu"
local turn = require "spec.support.turn"
local runner = require "spec.softgpu.corpus.runner"
local cuda, ffi = gpu.cuda, require "ffi"

local sources, styles = runner.sources, runner.styles
local full = os.getenv "CUDALUA_CORPUS" == "full"

-- What NVRTC has, and the variants of these that have instructions of their own; a GPU takes what it can.
local function architectures()
  local list, own = {}, { [90] = "90a", [100] = "100a", [120] = "120a" }
  local major, minor = cuda.Device(0):compute_capability()
  for _, arch in ipairs(require("cudalua.compiler").nvrtc().archs) do
    if gpu.soft or arch <= major * 10 + minor then
      list[#list + 1] = arch
      if own[arch] and (gpu.soft or arch == major * 10 + minor) then list[#list + 1] = own[arch] end
    end
  end
  return list
end

-- Pairs of architecture and style for a source: all, or a few, so that over the sources each of both comes up.
local function pairs_of(k, archs)
  local list = {}
  if full then
    for _, arch in ipairs(archs) do
      for _, style in ipairs(styles) do list[#list + 1] = { arch = arch, style = style } end
    end
    return list
  end
  for j = 0, sources[k].slow and 1 or 3 do
    list[#list + 1] = { arch = archs[(k * 4 + j * 7) % #archs + 1], style = styles[(k + j * 3) % #styles + 1] }
  end
  return list
end

describe("the corpus:", function()
  local stack
  setup(function()
    gpu.context()
    stack = cuda.Context.get_limit "stack_size"
    cuda.Context.set_limit("stack_size", 8192) -- for recursion that is not optimised
  end)
  teardown(function()
    gpu.context()
    cuda.Context.set_limit("stack_size", stack)
  end)
  before_each(gpu.context)

  for k, source in ipairs(sources) do
    it(source.name .. " computes the same for all architectures and options", function()
      local archs, wrong, reference, count = architectures(), {}, {}, 0
      local function try(arch, style)
        local ok, results = pcall(function() return runner.run(source, runner.compile(source, arch, style), arch) end)
        if not ok then
          wrong[#wrong + 1] = ("compute_%s, %s: %s"):format(arch, style.name, tostring(results))
          return
        end
        for name, result in pairs(results) do
          reference[name] = reference[name] or result
          count = count + 1
        end
        for _, text in ipairs(runner.compare(source, style, results, reference)) do
          wrong[#wrong + 1] = ("compute_%s, %s: %s"):format(arch, style.name, text)
        end
      end
      try(archs[1], styles[1]) -- what the others are compared with, as far as it has the kernels
      for _, pair in ipairs(turn.share(pairs_of(k, archs))) do try(pair.arch, pair.style) end
      assert(#wrong == 0, table.concat(wrong, "\n"))
      assert.is_true(count > 0)
    end)
  end

  it("takes each architecture and each set of options", function()
    local archs, seen = architectures(), {}
    for k in ipairs(sources) do
      for _, pair in ipairs(pairs_of(k, archs)) do seen[pair.arch], seen[pair.style] = true, true end
    end
    for _, arch in ipairs(archs) do assert(seen[arch], "not once: compute_" .. arch) end
    for _, style in ipairs(styles) do assert(seen[style], "not once: " .. style.name) end
  end)
end)

-- Instructions that the software device does not have, one of each family.
local missing = [[
tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%x1, %x2, {%f1,%f2}];
tex.2dms.v4.u32.s32 {%w1,%w2,%w3,%w4}, [%x1, {%w1,%w2,%w3,%w4}];
tld4.r.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%x1, {%f1,%f2}], {%w1,%w2};
sured.b.add.1d.u32.trap [%x1, {%w2}], %w1;
istypep.texref %p1, %x1;
wmma.load.a.sync.aligned.row.m16n16k16.f16 {%w1,%w2,%w3,%w4,%w5,%w6,%w7,%w8}, [%x1];
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%w1,%w2,%w3,%w4}, {%w5,%w6}, {%f1,%f2,%f3,%f4};
wgmma.fence.sync.aligned;
tcgen05.wait::ld.sync.aligned;
ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%w1}, [%w2];
stmatrix.sync.aligned.m8n8.x1.shared.b16 [%w2], {%w1};
movmatrix.sync.aligned.m8n8.trans.b16 %w1, %w2;
cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%w1], [%x1, {%w2}], [%w3];
cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%x1, {%w2}], [%w1];
tensormap.replace.tile.rank.global.b1024.b32 [%x1], 1;
fence.proxy.tensormap::generic.acquire.gpu [%x1], 128;
multimem.red.relaxed.sys.global.add.u32 [%x1], %w1;
clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%w1], [%w2];
cvt.rs.f16x2.f32 %w1, %f1, %f2, %w2;
fma.rn.oob.f16x2 %w1, %w2, %w3, %w4;
]]

describe("the software device", function()
  it("names an instruction that it does not have, and its line; the module's other kernels run", function()
    if not gpu.soft then
      pending "a GPU has them"
      return
    end
    gpu.context()
    for instruction in missing:gmatch "[^\n]+" do
      local ptx = ([[
.version 9.0
.target sm_100a
.address_size 64
.visible .entry good(.param .u64 p)
{
  .reg .b64 %%x;
  ld.param.u64 %%x, [p];
  st.global.u32 [%%x], 5;
  ret;
}
.visible .entry bad()
{
  .reg .pred %%p<9>;
  .reg .b32 %%w<9>, %%f<9>;
  .reg .b64 %%x<9>;
  %s
  ret;
}
]]):format(instruction)
      local module = cuda.module_from_buffer(ptx)
      local err = gpu.error_of(nil, module.get_function, module, "bad")
      assert.equal(801, err.code)
      local form = instruction:match "^(%S-);?%s" or instruction:match "^[^;]+"
      for _, text in ipairs { "kernel bad", "line 16", "`" .. form .. "`" } do
        assert(tostring(err):find(text, 1, true), ("'%s' is not in: %s"):format(text, tostring(err)))
      end
      local word = cuda.mem_alloc(4)
      module:get_function "good"(word, { block = 1 })
      local five = ffi.new "int[1]"
      cuda.memcpy_dtoh(five, word)
      assert.equal(5, five[0])
      word:free()
    end
  end)
end)
