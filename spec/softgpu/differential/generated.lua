-- Random programs: straight lines, branches, loops, switches, arrays, lanes that talk, shared memory; and lines of
-- random instructions under random predicates.
local Program = require "spec.softgpu.differential.generator"
local Random = require "spec.softgpu.differential.random"

-- Instructions for lines of PTX: result, form, operands. Of 32 bits (w), float (f) and predicates (p).
local instructions = {}
for line in ([[
w add.u32 ww|w sub.s32 ww|w mul.lo.s32 ww|w mul.hi.u32 ww|w mad.lo.s32 www|w mad.hi.s32 www|w and.b32 ww|w or.b32 ww
w xor.b32 ww|w not.b32 w|w cnot.b32 w|w shl.b32 ww|w shr.u32 ww|w shr.s32 ww|w shf.l.wrap.b32 www|w shf.r.clamp.b32 www
w min.s32 ww|w max.u32 ww|w abs.s32 w|w neg.s32 w|w popc.b32 w|w clz.b32 w|w brev.b32 w|w bfind.u32 w|w bfe.u32 www
w bfe.s32 www|w bfi.b32 wwww|w prmt.b32 www|w sad.u32 www|w dp4a.u32.s32 www|w div.u32 ww|w rem.s32 ww|w selp.b32 wwp
w add.sat.s32 ww|w mul24.lo.s32 ww|w mad24.lo.u32 www|w slct.b32.s32 www|w cvt.rni.s32.f32 f|w cvt.rzi.u32.f32 f
w cvt.s8.s32 w|w cvt.sat.u8.s32 w|w cvt.sat.s16.s32 w|w set.lt.u32.s32 ww|w set.gtu.u32.f32 ff|w bmsk.clamp.b32 ww
f add.rn.f32 ff|f sub.rz.f32 ff|f mul.rn.f32 ff|f mul.rp.ftz.f32 ff|f fma.rn.f32 fff|f fma.rm.f32 fff|f div.rn.f32 ff
f rcp.rz.f32 f|f sqrt.rn.f32 f|f min.f32 ff|f max.ftz.f32 ff|f abs.f32 f|f add.sat.f32 ff
f cvt.rn.f32.s32 w|f cvt.rz.f32.u32 w
f cvt.rmi.f32.f32 f|f selp.f32 ffp|f slct.f32.s32 ffw|f set.ge.f32.f32 ff|f cvt.sat.f32.f32 f
p setp.lt.s32 ww|p setp.hi.u32 ww|p setp.eq.b32 ww|p setp.gt.f32 ff|p setp.neu.f32 ff|p setp.nan.f32 ff|p and.pred pp
p or.pred pp|p xor.pred pp|p not.pred p|p setp.ge.and.s32 wwp|p setp.lt.xor.f32 ffp
p testp.finite.f32 f]]):gmatch "[^|\n]+" do
  instructions[#instructions + 1] = { line:match "^(%S+) (%S+) (%S+)$" }
end

local function ptx_lines(seed)
  local r = Random.new(seed)
  local count = { w = 8, f = 6, p = 4 }
  local function register(kind) return kind .. r:int(0, count[kind] - 1) end
  local list = { "{ .reg .b32 w<8>; .reg .f32 f<6>; .reg .pred p<4>;" }
  for k = 0, 7 do list[#list + 1] = ("mov.b32 w%d, %%%d;"):format(k, 8 + k % 4) end
  for k = 0, 5 do list[#list + 1] = ("mov.f32 f%d, %%%d;"):format(k, 12 + k % 4) end
  for k = 0, 3 do list[#list + 1] = ("setp.lt.s32 p%d, %%%d, %d;"):format(k, 8 + k, k * 1000) end
  local labels = 0
  for _ = 1, 50 do
    local result, form, operands = unpack(r:pick(instructions))
    local arguments = { register(result) }
    for kind in operands:gmatch "." do
      arguments[#arguments + 1] = kind == "w" and r:chance(0.1) and tostring(r:int(0, 33)) or register(kind)
    end
    local guard = r:chance(0.3) and ("@%sp%d "):format(r:chance(0.5) and "!" or "", r:int(0, 3)) or ""
    list[#list + 1] = guard .. form .. " " .. table.concat(arguments, ", ") .. ";"
    if r:chance(0.06) then -- over the next ones
      labels = labels + 1
      list[#list + 1] = ("@%sp%d bra skip_%d_%%=;"):format(r:chance(0.5) and "!" or "", r:int(0, 3), labels)
      for _ = 1, 3 do
        local _, f, o = unpack(instructions[r:int(1, 20)])
        local a = { register "w" }
        for kind in o:gmatch "." do a[#a + 1] = register(kind) end
        list[#list + 1] = f .. " " .. table.concat(a, ", ") .. ";"
      end
      list[#list + 1] = ("skip_%d_%%=:"):format(labels)
    end
  end
  for k = 0, 3 do list[#list + 1] = ("xor.b32 %%%d, w%d, w%d;"):format(k, k, k + 4) end
  for k = 0, 3 do list[#list + 1] = ("mov.f32 %%%d, f%d;"):format(4 + k, k) end
  list[#list + 1] = "}"
  local text = {}
  for k, line in ipairs(list) do text[k] = '    "' .. line .. ' "' end
  local outputs, inputs, outs, rows = {}, {}, {}, {}
  for k = 0, 7 do
    outputs[#outputs + 1] = (k < 4 and '"=&r"(a%d)' or '"=&f"(b%d)'):format(k % 4)
    inputs[#inputs + 1] = (k < 4 and '"r"(W(%d))' or '"f"(F(%d))'):format(k % 4)
    outs[#outs + 1] = ("  OUT(%d, %s);"):format(k, k < 4 and "a" .. k or "plain(b" .. k % 4 .. ")")
    rows[#rows + 1] = { label = (k < 4 and "w" or "f") .. k % 4, type = k < 4 and "w" or "f" }
  end
  return { rows = rows, code = ("  u32 a0, a1, a2, a3; float b0, b1, b2, b3;\n  asm(\n%s\n    : %s : %s);\n%s")
    :format(table.concat(text, "\n"), table.concat(outputs, ", "), table.concat(inputs, ", "), table.concat(outs,
      "\n")) }
end

return function(corpus)
  local seed = 0
  local function series(name, count, make)
    for k = 1, count do
      seed = seed + 1
      local kernel = make(seed, k)
      kernel.name = ("random_%s_%02d"):format(name, k)
      corpus:add(kernel)
    end
  end
  local function programs(name, count, kinds, shapes, n, nested)
    series(name, count, function(s, k)
      local p = Program.new(s, kinds[(k - 1) % #kinds + 1])
      p:block(n, shapes, nested or 0)
      return p:finish()
    end)
  end
  programs("words", 20, { "w" }, {}, 40)
  programs("wide", 14, { "wx" }, {}, 36)
  programs("float", 20, { "f", "wf" }, {}, 36)
  programs("double", 14, { "d", "wd", "fd" }, {}, 30)
  programs("mixed", 16, { "wxfd" }, {}, 44)
  programs("branches", 24, { "w", "wf", "wx" }, { "branch" }, 10, 4)
  programs("loops", 24, { "w", "wf", "wx" }, { "loop", "branch", "while_loop" }, 8, 3)
  programs("switch", 12, { "w", "wf" }, { "switch", "branch" }, 6, 2)
  programs("arrays", 12, { "w" }, { "array", "loop", "branch" }, 7, 2)

  -- Straight lines and branches between places where all threads meet.
  local function meetings(name, count, kinds, meet, shapes)
    series(name, count, function(s, k)
      local p = Program.new(s, kinds[(k - 1) % #kinds + 1])
      for _ = 1, 6 do
        p:block(p.r:int(2, 4), shapes, 2)
        local how = p.r:pick(meet)
        p[how](p)
      end
      return p:finish()
    end)
  end
  meetings("shuffles", 24, { "w", "wf", "wx", "wd" }, { "warp" }, { "branch", "loop" })
  meetings("some_lanes", 16, { "w" }, { "some_lanes", "warp" }, { "branch" })
  meetings("shared", 24, { "w", "wf", "wx", "wd" }, { "exchange" }, { "branch", "loop" })
  meetings("blocks", 12, { "w" }, { "exchange", "warp", "some_lanes", "vote_block" }, { "branch", "loop", "switch" })
  series("ptx", 24, ptx_lines)
end
