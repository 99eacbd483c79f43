-- The names that an image offers to others and that only one may have, read from PTX and from cubins: nvJitLink takes
-- the first of two such definitions, and tells only stderr of the other.

local M = {}

local function plain_text(ptx)
  return (ptx:gsub("/%*.-%*/", " "):gsub("//[^\n]*", ""))
end

-- `.visible .entry name(`, `.visible .func (.param .b32 r) name(`, `.visible .global .align 4 .u32 name[4] = ...`
local function of_ptx(ptx)
  local names = {}
  for declaration in plain_text(ptx):gmatch "%.visible([^;{]+)" do
    local text = declaration:gsub("=.*$", ""):gsub("%b[]", "")
    local name = text:match "%.entry%s+([%w_%$]+)" or text:match "%.func%s*%b()%s*([%w_%$]+)"
      or text:match "%.func%s+([%w_%$]+)" or text:match "([%w_%$]+)%s*$"
    names[#names + 1] = name
  end
  return names
end

local function number(s, at, bytes)
  local value = 0
  for i = bytes, 1, -1 do value = value * 256 + (s:byte(at + i) or 0) end
  return value
end

local SYMTAB, GLOBAL, FILE_HEADER, SECTION_HEADER, SYMBOL = 2, 1, 64, 64, 24

-- An ELF file of 64 bits. Offsets count from 0; what is not there is read as 0.
local function of_cubin(elf)
  local names = {}
  if #elf < FILE_HEADER then return names end
  local sections, count = number(elf, 40, 8), number(elf, 60, 2)
  local function section(i)
    local at = sections + i * SECTION_HEADER
    return number(elf, at + 4, 4), number(elf, at + 24, 8), number(elf, at + 32, 8), number(elf, at + 40, 4)
  end
  for i = 0, count - 1 do
    local kind, from, bytes, link = section(i)
    if kind == SYMTAB and link < count then
      local _, strings = section(link)
      for at = from, math.min(from + bytes, #elf) - SYMBOL, SYMBOL do
        local binding, where = math.floor(number(elf, at + 4, 1) / 16), number(elf, at + 6, 2)
        if binding == GLOBAL and where ~= 0 then
          names[#names + 1] = elf:match("^%Z+", strings + number(elf, at, 4) + 1)
        end
      end
    end
  end
  return names
end

local readers = { ptx = of_ptx, cubin = of_cubin }

---The definitions that clash among images.
---@param inputs {type: string, data: string, name: string}[]  those of types other than "ptx" and "cubin" are not read
---@return string? log  one line each, as the driver's linker puts it; nil: there are none
function M.clashes(inputs)
  local first, lines = {}, {}
  for _, input in ipairs(inputs) do
    for _, name in ipairs((readers[input.type] or function() return {} end)(input.data)) do
      if first[name] and first[name] ~= input then
        lines[#lines + 1] = ("error   : Multiple definition of '%s' in '%s', first defined in '%s'"):format(name,
          input.name, first[name].name)
      end
      first[name] = first[name] or input
    end
  end
  return lines[1] and table.concat(lines, "\n")
end

return M
