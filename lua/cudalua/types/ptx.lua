-- What PTX tells of a kernel's parameters: size and place, and whether it is a float; not the sign of an integer, nor
-- what is a pointer. That shows in what the kernel does with it.

local M = {}

local floats = { f16 = "float16", bf16 = "bfloat16", f32 = "float32", f64 = "float64" }
local texts = { float16 = "half", bfloat16 = "__nv_bfloat16", float32 = "float", float64 = "double" }

---Is an image PTX?
---@param image string
---@return boolean
function M.is_ptx(image)
  local head = image:sub(1, 4096)
  return not head:find "^\127ELF" and head:find("%.version%s+%d") ~= nil and head:find("%.target%s+%w") ~= nil
end

local function escaped(name) return (name:gsub("[%$%%%.]", "%%%0")) end

-- Is the parameter an address to the kernel? Its register is turned into one of a space, or used as one.
local function dereferenced(body, name)
  for register in body:gmatch("ld%.param%.[%w%.]*64%s+(%%[%w_$]+)%s*,%s*%[" .. escaped(name) .. "%]") do
    local r = escaped(register)
    if body:find("cvta%.to%.%a+%.u64%s+%%[%w_$]+%s*,%s*" .. r .. "%s*;") or body:find("%[" .. r .. "[%]%+%-%s]") then
      return true
    end
  end
  return false
end

local function param(part, body)
  local kind = part:match "%.param.-%.([usbf]f?%d+x?2?)%f[%W]"
  local name, count = part:match "([%a_$%%][%w_$]*)%s*%[%s*(%d+)%s*%]%s*$"
  name = name or part:match "([%a_$%%][%w_$]*)%s*$"
  local bits = kind and tonumber(kind:match "%d+")
  if not (bits and name) then return nil end
  local size = bits / 8
  if count then
    return { type = "bytes", text = ("%d bytes"):format(size * count), size = size * count,
      align = tonumber(part:match "%.align%s+(%d+)") or size }
  end
  local p = { type = "unknown", text = ("%d bytes"):format(size), size = size, align = size }
  local letter = kind:sub(1, 1)
  if floats[kind] then
    p.type, p.text = floats[kind], texts[floats[kind]]
  elseif letter == "s" then
    p.type, p.text = "int" .. bits, "int" .. bits
  elseif letter == "u" and bits == 64 then
    local pointer = part:find "%.ptr%f[%W]" or dereferenced(body, name)
    p.type, p.text = pointer and "pointer" or "integer64", pointer and "void *" or "pointer or 64-bit integer"
  elseif letter == "u" then
    p.type, p.text = "integer" .. bits, bits .. "-bit integer"
  end
  return p
end

local function in_comment(ptx, at)
  local line = ptx:sub(math.max(at - 1000, 1), at - 1):match "[^\n]*$"
  return line:find("//", 1, true) ~= nil
end

-- The parameters of the first kernel whose symbol is right.
local function find(ptx, is_right)
  local at = 1
  while true do
    local from, to = ptx:find(".entry", at, true)
    if not from then return nil end
    at = to + 1
    local name, after = ptx:match("^%s+([%a_$%%][%w_$]*)%s*()", at)
    if name and is_right(name) and not in_comment(ptx, from) then
      local list = ptx:match("^%b()", after)
      local body = ptx:match("^[^{;]*(%b{})", after + (list and #list or 0)) or ""
      local params = {}
      list = (list or "()"):sub(2, -2):gsub("//[^\n]*", ""):gsub("/%*.-%*/", "")
      if not list:find "%S" then return params end
      for part in (list .. ","):gmatch "%s*(.-)%s*," do
        local p = param(part, body)
        if not p then return nil end
        params[#params + 1] = p
      end
      return params
    end
  end
end

---The parameters of a kernel.
---@param ptx string
---@param symbol string
---@return cudalua.Param[]?  nil: there is no such kernel, or it is not understood
function M.params(ptx, symbol)
  return find(ptx, function(name) return name == symbol end)
end

---The same by the name that the kernel has in its source.
---@param ptx string
---@param kernel string
---@return cudalua.Param[]?
function M.params_of(ptx, kernel)
  local mangled = ("_Z%d%s"):format(#kernel, kernel)
  return find(ptx, function(name) return name == kernel or name:sub(1, #mangled) == mangled end)
end

return M
