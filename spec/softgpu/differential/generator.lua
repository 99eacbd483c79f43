-- Random programs in CUDA C, the same ones for the same seed. They compute on a pool of variables, have no undefined
-- behaviour and no races, and end: what they compute is determined, whatever the compiler does with them.
local Random = require "spec.softgpu.differential.random"

local Program = {}
Program.__index = Program

---@param seed integer
---@param kinds string  letters of the variables there are: w words, x 64-bit words, f float, d double
function Program.new(seed, kinds)
  local self = setmetatable({ r = Random.new(seed), kinds = kinds, lines = {}, depth = 0, names = 0 }, Program)
  self.count = { w = kinds:find "w" and 8 or 0, x = kinds:find "x" and 5 or 0, f = kinds:find "f" and 6 or 0,
    d = kinds:find "d" and 4 or 0 }
  return self
end

function Program:line(...) self.lines[#self.lines + 1] = ("  "):rep(self.depth + 1) .. string.format(...) end

function Program:variable(kind) return kind .. self.r:int(0, self.count[kind] - 1) end

function Program:fresh(prefix)
  self.names = self.names + 1
  return prefix .. self.names
end

-- ---- expressions ---------------------------------------------------------------------------------------------

-- Templates of what a kind of value may be made of; $w $x $f $d are operands, # a small constant.
local templates = {
  w = { "$w + $w", "$w - $w", "$w * $w", "$w & $w", "$w | $w", "$w ^ $w", "~$w", "-($w)", "$w << ($w & 31)",
    "$w >> ($w & 31)",
    "(u32)((int)$w >> ($w & 31))", "$w / ($w | 1)", "$w % ($w | 1)", "(u32)((int)$w / (int)($w >> 1 | 1))",
    "(u32)((int)$w % (int)($w >> 1 | 3))", "$w / #", "(u32)((int)$w / #)", "$w % #", "__umulhi($w, $w)",
    "(u32)__mulhi((int)$w, (int)$w)", "min($w, $w)", "(u32)min((int)$w, (int)$w)", "(u32)max((int)$w, (int)$w)",
    "($w < $w ? $w : $w)", "((int)$w < (int)$w ? $w : $w)", "($w == $w ? $w : $w + #)", "(u32)__popc($w)",
      "(u32)__clz((int)$w)",
    "__brev($w)", "(u32)__ffs((int)$w)", "__byte_perm($w, $w, $w)", "__funnelshift_l($w, $w, $w)",
      "__funnelshift_rc($w, $w, $w)",
    "__usad($w, $w, $w)", "__umul24($w, $w)", "__dp4a($w, $w, $w)", "(u32)(s8)$w", "(u32)(u16)$w",
      "(u32)(s16)$w * (u32)(u8)$w",
    "rotate($w, #)", "($w & #) * $w + $w", "(u32)abs((int)($w >> 1))", "__vadd2($w, $w)", "__vabsdiffu4($w, $w)" },
  x = { "$x + $x", "$x - $x", "$x * $x", "$x & $x", "$x | $x", "$x ^ $x", "~$x", "$x << ($w & 63)", "$x >> ($w & 63)",
    "(u64)((s64)$x >> ($w & 63))", "$x / ($x | 1)", "(u64)((s64)$x / (s64)($x >> 1 | 1))", "$x % ($x | 1)",
      "__umul64hi($x, $x)",
    "(u64)__mul64hi((s64)$x, (s64)$x)", "($x < $x ? $x : $x)", "((s64)$x < (s64)$x ? $x : $x)", "(u64)$w * $w",
      "(u64)(s64)(int)$w",
    "(u64)__popcll($x)", "__brevll($x)", "(u64)__clzll((s64)$x)", "((u64)$w << 32 | $w)", "$x / #",
      "(u64)((s64)$x % #)" },
  f = { "$f + $f", "$f - $f", "$f * $f", "$f / $f", "$f * $f + $f", "fmaf($f, $f, $f)", "fminf($f, $f)",
    "fmaxf($f, $f)", "fabsf($f)",
    "-($f)", "sqrtf(fabsf($f))", "floorf($f)", "truncf($f)", "rintf($f)", "ceilf($f)", "($f < $f ? $f : $f)",
      "($f >= $f ? $f : $f)",
    "__fadd_rz($f, $f)", "__fmul_ru($f, $f)", "__fsub_rd($f, $f)", "__fmaf_rz($f, $f, $f)", "__frcp_rn($f)",
      "__fdiv_rd($f, $f)",
    "__fsqrt_ru($f)", "copysignf($f, plain($f))", "fminf(fmaxf($f, -1e6f), 1e6f)", "__saturatef($f)", "$f * 0.125f",
      "$f + #" },
  d = { "$d + $d", "$d - $d", "$d * $d", "$d / $d", "$d * $d + $d", "fma($d, $d, $d)", "fmin($d, $d)", "fmax($d, $d)",
    "fabs($d)",
    "-($d)", "sqrt(fabs($d))", "floor($d)", "trunc($d)", "rint($d)", "($d < $d ? $d : $d)", "__dadd_rz($d, $d)",
      "__dmul_ru($d, $d)",
    "__fma_rd($d, $d, $d)", "__ddiv_rz($d, $d)", "fmin(fmax($d, -1e9), 1e9)", "$d * 0.0625", "$d + #" },
}
-- From one kind to another.
local crossings = {
  w = { x = { "(u32)$x", "(u32)($x >> 32)" }, f = { "__float_as_uint(plain($f))", "(u32)__float2int_rz($f)",
    "__float2uint_rn($f)",
      "(u32)($f < $f)", "(u32)__float2int_rd($f)" },
    d = { "(u32)__double2int_rn($d)", "__double2uint_rz($d)", "(u32)($d <= $d)", "(u32)__double2loint(plain($d))" } },
  x = { w = { "((u64)$w << 32 | $w)" }, f = { "(u64)__float2ll_rz($f)" }, d = { "(u64)__double2ll_rn($d)",
    "__double2ull_rz($d)" } },
  f = { w = { "__int2float_rn((int)$w)", "__uint2float_rz($w)", "(float)($w & 1023)", "__uint_as_float($w)" },
    x = { "__ll2float_rn((s64)$x)" }, d = { "__double2float_rn($d)", "__double2float_ru($d)" } },
  d = { w = { "__int2double_rn((int)$w)", "__hiloint2double((int)$w, (int)$w)" }, x = { "__ull2double_rn($x)" },
    f = { "(double)$f" } },
}

function Program:constant(kind)
  local r = self.r
  if kind == "w" then
    return r:chance(0.5) and r:int(0, 40) .. "u" or ("0x%xu"):format(r:bits())
  elseif kind == "x" then
    return r:chance(0.5) and r:int(0, 40) .. "ull" or ("0x%x%08xull"):format(r:bits(), r:bits())
  end
  return ("%d.%d%s"):format(r:int(-9, 9), r:int(0, 9), kind == "f" and "f" or "")
end

function Program:expression(kind, deep)
  local r = self.r
  local list = templates[kind]
  if #self.kinds > 1 and r:chance(0.25) then
    local other = self.kinds:sub(r:int(1, #self.kinds)):sub(1, 1)
    list = crossings[kind][other] or list
  end
  return (r:pick(list):gsub("%$(%a)", function(k)
    if self.count[k] == 0 then return self:constant(k) end
    if deep and r:chance(0.3) then return "(" .. self:expression(k, false) .. ")" end
    return r:chance(0.08) and self:constant(k) or self:variable(k)
  end):gsub("#", function() return r:int(2, 100) end))
end

function Program:kind() return self.kinds:sub(self.r:int(1, #self.kinds)):sub(1, 1) end

function Program:assign(kind)
  kind = kind or self:kind()
  self:line("%s = %s;", self:variable(kind), self:expression(kind, true))
end

function Program:condition()
  local r = self.r
  local kind = self:kind()
  local a, b = self:variable(kind), r:chance(0.3) and self:constant(kind) or self:variable(kind)
  if kind == "w" then
    return r:pick { ("(int)%s < (int)%s"):format(a, b), ("%s < %s"):format(a, b), ("%s & 1"):format(a),
      ("%s %% 3 == 0"):format(a),
      ("(%s ^ %s) & %d"):format(a, b, 2 ^ r:int(0, 20)), ("threadIdx.x %% %d < %d"):format(r:int(2, 9), r:int(1, 3)),
      ("%s > %s && (%s & 4)"):format(a, b, a) }
  end
  return ("%s %s %s"):format(a, r:pick { "<", ">", "<=", "!=" }, b)
end

-- ---- statements ----------------------------------------------------------------------------------------------

---@param n integer  statements
---@param shapes string[]  what they may be besides assignments
---@param nested integer  how much deeper it may go
function Program:block(n, shapes, nested, in_loop)
  for _ = 1, n do
    local shape = nested > 0 and self.r:chance(0.35) and self.r:pick(shapes)
    if shape then self[shape](self, shapes, nested - 1, in_loop)
    elseif in_loop and self.r:chance(0.12) then
      self:line("if (%s) %s;", self:condition(), self.r:pick { "break", "continue" })
    else
      self:assign()
    end
  end
end

function Program:inside(...)
  self.depth = self.depth + 1
  self:block(...)
  self.depth = self.depth - 1
end

function Program:branch(shapes, nested, in_loop)
  self:line("if (%s) {", self:condition())
  self:inside(self.r:int(1, 4), shapes, nested, in_loop)
  if self.r:chance(0.7) then
    self:line("} else {")
    self:inside(self.r:int(1, 4), shapes, nested, in_loop)
  end
  self:line("}")
end

function Program:loop(shapes, nested)
  local k = self:fresh "k"
  local limit = self.r:chance(0.7) and ("(int)(%s & %d) + %d"):format(self.count.w > 0 and self:variable "w"
    or "threadIdx.x",
    self.r:pick { 3, 7, 7, 15 }, self.r:int(0, 3)) or tostring(self.r:int(2, 9))
  if self.r:chance(0.25) then self:line("#pragma unroll 1") end
  self:line("for (int %s = 0, %sn = %s; %s < %sn; %s++) {", k, k, limit, k, k, k)
  self:inside(self.r:int(2, 5), shapes, nested, true)
  if self.count.w > 0 then self:line("  %s += %s;", self:variable "w", k) end
  self:line("}")
end

function Program:while_loop(shapes, nested)
  local k = self:fresh "k"
  self:line("int %s = 0;", k)
  self:line("do {")
  self:inside(self.r:int(2, 4), shapes, nested, false)
  self:line("} while (++%s < %d && (%s));", k, self.r:int(2, 12), self:condition())
end

function Program:switch(shapes, nested)
  local cases = self.r:int(3, 9)
  self:line("switch (%s %% %du) {", self:variable "w", cases + 1)
  for k = 0, cases - 1 do
    self:line("case %d:", k)
    self:inside(self.r:int(1, 3), shapes, math.min(nested, 1), false)
    if self.r:chance(0.75) then self:line("  break;") end
  end
  if self.r:chance(0.8) then
    self:line("default:")
    self:inside(1, shapes, 0, false)
  end
  self:line("}")
end

function Program:array(shapes, nested)
  local a, size = self:fresh "l", self.r:pick { 4, 8, 16 }
  self:line("u32 %s[%d];", a, size)
  self:line("for (int j = 0; j < %d; j++) %s[j] = %s * j + %s;", size, a, self:variable "w", self:variable "w")
  for _ = 1, self.r:int(2, 4) do
    self:line("%s[%s & %d] ^= %s;", a, self:variable "w", size - 1, self:expression("w", true))
    if nested > 0 and self.r:chance(0.3) then self:branch(shapes, 0) end
    self:line("%s += %s[%s %% %du];", self:variable "w", a, self:variable "w", size)
  end
end

-- Lanes of a whole warp, where all of them are.
function Program:warp()
  local r = self.r
  local kind = self:kind()
  local v, width = self:variable(kind), r:pick { 32, 32, 32, 16, 8, 4, 2 }
  local how = r:int(1, kind == "w" and 9 or 4)
  local target = self:variable(kind)
  if how == 1 then self:line("%s = __shfl_xor_sync(~0u, %s, %d, %d);", target, v, r:int(1, 31), width)
  elseif how == 2 then self:line("%s = __shfl_up_sync(~0u, %s, %d, %d);", target, v, r:int(0, 20), width)
  elseif how == 3 then self:line("%s = __shfl_down_sync(~0u, %s, %d, %d);", target, v, r:int(0, 20), width)
  elseif how == 4 then
    self:line("%s = __shfl_sync(~0u, %s, %s, %d);", target, v, self.count.w > 0 and "(int)(" .. self:variable "w"
      .. " & 63)"
      or "threadIdx.x * 7", width)
  elseif how == 5 then self:line("%s = __ballot_sync(~0u, %s);", target, self:condition())
  elseif how == 6 then self:line("%s += __%s_sync(~0u, %s);", target, r:pick { "any", "all" }, self:condition())
  elseif how == 7 then self:line("%s ^= __match_any_sync(~0u, %s %% %d);", target, v, r:int(2, 40))
  elseif how == 8 then self:line("%s = __reduce_%s_sync(~0u, %s);", target, r:pick { "add", "min", "max", "and", "or",
    "xor" }, v)
  else
    local all = self:fresh "all"
    self:line("{ int %s; %s += __match_all_sync(~0u, %s & %d, &%s); %s ^= %s; }", all, target, v, r:pick { 0, 1,
      0x40000000 }, all,
      self:variable "w", all)
  end
end

-- Lanes that a condition chooses, among themselves.
function Program:some_lanes()
  local r, m, c = self.r, self:fresh "m", self:fresh "c"
  self:line("bool %s = %s; u32 %s = __ballot_sync(~0u, %s);", c, self:condition(), m, c)
  self:line("if (%s) {", c)
  self.depth = self.depth + 1
  for _ = 1, r:int(1, 3) do
    local how, a, b = r:int(1, 5), self:variable "w", self:variable "w"
    if how == 1 then self:line("%s = __shfl_sync(%s, %s, __ffs((int)%s) - 1);", a, m, b, m)
    elseif how == 2 then self:line("%s = __ballot_sync(%s, %s);", a, m, self:condition())
    elseif how == 3 then self:line("%s = __reduce_%s_sync(%s, %s);", a, r:pick { "add", "max", "xor" }, m, b)
    elseif how == 4 then self:line("%s ^= __match_any_sync(%s, %s %% %d);", a, m, b, r:int(2, 9))
    else self:line("%s += __popc(%s & ((1u << (threadIdx.x & 31)) - 1));", a, m) end
    if r:chance(0.5) then self:assign() end
  end
  self.depth = self.depth - 1
  if r:chance(0.5) then
    self:line("} else {")
    self:inside(2, {}, 0)
  end
  self:line("}")
  self:line("__syncwarp();")
end

-- A value goes through shared memory to another thread of the block of 256.
function Program:exchange()
  local r = self.r
  local kind = self:kind()
  local s, how = self:fresh "shared", r:int(1, 4)
  local type = ({ w = "u32", x = "u64", f = "float", d = "double" })[kind]
  self:line("__shared__ %s %s[256];", type, s)
  self:line("%s[threadIdx.x] = %s; __syncthreads();", s, self:variable(kind))
  if how == 1 then
    self:line("%s = %s[(threadIdx.x * %d + %d) & 255];", self:variable(kind), s, r:int(0, 20) * 2 + 1, r:int(0, 255))
  elseif how == 2 and self.count.w > 0 then
    self:line("%s = %s[%s & 255];", self:variable(kind), s, self:variable "w")
  elseif how == 3 then
    self:line("for (int half = 128; half; half >>= 1) {")
    self:line("  if (threadIdx.x < half) %s[threadIdx.x] = %s[threadIdx.x] %s %s[threadIdx.x + half];", s, s,
      kind:find "[wx]" and r:pick { "+", "^", "*" } or "+", s)
    self:line("  __syncthreads();")
    self:line("}")
    self:line("%s = %s[threadIdx.x & 15];", self:variable(kind), s)
  else
    self:line("for (int d = 1; d < 256; d <<= 1) {")
    self:line("  %s v = threadIdx.x >= d ? %s[threadIdx.x - d] : 0; __syncthreads();", type, s)
    self:line("  %s[threadIdx.x] += v; __syncthreads();", s)
    self:line("}")
    self:line("%s = %s[255 - threadIdx.x];", self:variable(kind), s)
  end
  self:line("__syncthreads();")
end

-- A number of all threads of a block, by a barrier that reduces.
function Program:vote_block()
  self:line("%s += __syncthreads_%s(%s);", self:variable "w", self.r:pick { "count", "and", "or" }, self:condition())
end

-- ---- whole programs ------------------------------------------------------------------------------------------

local types = { w = "u32", x = "u64", f = "float", d = "double" }
local loads = { w = "W", x = "X", f = "F", d = "D" }

---@return table  a kernel of the corpus, without its name
function Program:finish()
  local before, after, rows = {}, {}, {}
  for kind in self.kinds:gmatch "." do
    for k = 0, self.count[kind] - 1 do
      before[#before + 1] = k < 4 and ("  %s %s%d = %s(%d);"):format(types[kind], kind, k, loads[kind], k)
        or ("  %s %s%d = %s;"):format(types[kind], kind, k, ({ w = "i * 2654435761u + " .. k,
          x = "(u64)i * 0x9e3779b97f4a7c15ull",
          f = "(float)i * 0.37f - " .. k, d = "(double)i / 7" })[kind])
    end
    local wide, variables = kind:find "[xd]" and 2 or 1, {}
    for k = 0, self.count[kind] - 1 do variables[#variables + 1] = kind .. k end
    -- The words are one hash; of numbers the first ones.
    if kind == "w" or kind == "x" then
      local text = "0"
      for _, v in ipairs(variables) do text = ("(%s) * %s + %s"):format(text, kind == "w" and "31u"
        or "1099511628211ull", v) end
      after[#after + 1] = ("  OUT(%d, %s);"):format(#rows, text)
      rows[#rows + 1] = { label = "all_" .. kind, type = kind }
    end
    for k = 1, wide == 1 and 3 or 2 do
      after[#after + 1] = ("  OUT(%d, %s);"):format(#rows, kind:find "[fd]" and "plain(" .. variables[k] .. ")"
        or variables[k])
      rows[#rows + 1] = { label = variables[k], type = kind }
    end
  end
  local code = table.concat(before, "\n") .. "\n" .. table.concat(self.lines, "\n") .. "\n" .. table.concat(after, "\n")
  return { rows = rows, code = code }
end

return Program
