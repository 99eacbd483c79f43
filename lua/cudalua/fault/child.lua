-- The child process of a replay: luajit child.lua RECORDING RESULT. Runs a recorded launch on the software device, and
-- writes what came of it to RESULT: a line "fault", "good", "refused" or "wrong" with the kernel, a line for programs,
-- and text.

local core = require "cudalua.core"
-- Without signatures: each argument goes to the kernel as its bytes.
local get_function = core.classes.Module.get_function
local cuda = require "cudalua"
local errors = require "cudalua.base.errors"
local ffi = require "ffi"
local recording = require "cudalua.fault.recording"
local softgpu = require "cudalua.softgpu"

local PART = 2 ^ 24       -- bytes that are copied at once
local ALIGNMENT = 256     -- of allocations
local CHECKS = { "races", "uninitialised", "barriers", "shuffles", "arrays" }

-- Ctrl-C ends it: luajit's own handler would wait for the kernel.
ffi.cdef 'void *cudalua_child_signal(int number, void *handler) __asm__("signal");'
ffi.C.cudalua_child_signal(2, nil)

local path, result = ...

local function finish(what, kernel, json, text)
  local file = assert(io.open(result, "wb"))
  file:write(what, " ", kernel, "\n", json, "\n", text)
  file:close()
  os.exit(0, true)
end

local file = assert(io.open(path, "rb"))
local fields = recording.read(file) or finish("wrong", "", "", path .. " is not a recording of cuda.debug.save()")

local function numbers(text)
  local list = {}
  for n in text:gmatch "%d+" do list[#list + 1] = tonumber(n) end
  return list
end

-- ---- memory ---------------------------------------------------------------------------------------------------------

local parameters, pieces, pointers = {}, {}, {}
for i, text in ipairs(fields.parameter) do
  local offset, size, shown = text:match "^(%d+) (%d+) (.*)$"
  parameters[i] = { offset = tonumber(offset), size = tonumber(size), text = shown }
end
for i, text in ipairs(fields.pointer) do
  local n = numbers(text)
  pointers[i] = { offset = n[1], piece = n[2] }
end

-- "argument 2, const float *x" for the parameter at an offset.
local function argument_at(offset)
  for i, p in ipairs(parameters) do
    if offset >= p.offset and offset < p.offset + p.size then return ("argument %d, %s"):format(i, p.text) end
  end
  return "an argument"
end

-- Allocates under the name of the first argument that points there: the device's reports name the Lua line.
local function allocate(i, bytes)
  local name = "an argument"
  for _, p in ipairs(pointers) do
    if p.piece == i then
      name = argument_at(p.offset)
      break
    end
  end
  return assert(loadstring("local f, n = ... local memory = f(n) return memory", "=" .. name))(cuda.mem_alloc, bytes),
    name
end

local function fill(memory, pad, bytes)
  for at = 0, bytes - 1, PART do
    local part = file:read(math.min(PART, bytes - at))
    if not part or #part < math.min(PART, bytes - at) then finish("wrong", "", "", path .. " is truncated") end
    cuda.memcpy_htod(memory + (pad + at), part)
  end
end

local notes = {}
for i, text in ipairs(fields.piece) do
  local n = numbers(text)
  local piece = { address = n[1], bytes = n[2], pad = n[1] % ALIGNMENT }
  piece.memory, piece.name = allocate(i, piece.pad + piece.bytes)
  if n[3] == 1 then
    fill(piece.memory, piece.pad, piece.bytes)
  else
    cuda.memset_d8(piece.memory, 0, piece.pad + piece.bytes)
    notes[#notes + 1] = ("the memory of %s (%.0f bytes) exceeded the limit of record(); zeros were used"):format(
      piece.name, piece.bytes)
  end
  pieces[i] = piece
end

-- The arguments with the addresses of here.
local arguments = ffi.new("uint8_t[?]", #fields.arguments + 8)
ffi.copy(arguments, fields.arguments, #fields.arguments)
for _, p in ipairs(pointers) do
  local word = ffi.new "uint64_t[1]"
  local piece = pieces[p.piece]
  ffi.copy(word, arguments + p.offset, 8)
  local delta = tonumber(word[0]) - piece.address
  word[0] = piece.memory:ptr() + piece.pad + delta
  ffi.copy(arguments + p.offset, word, 8)
end

-- Textures and surfaces; the module's references get theirs when it is loaded.
local images = {}
for i, text in ipairs(fields.image) do
  local image = require("cudalua.fault.images").make(text)
  images[i] = image
  if image.offset then ffi.copy(arguments + image.offset, ffi.new("uint64_t[1]", image.object:handle()), 8) end
  if not image.kept then
    notes[#notes + 1] = ("the texels of %s exceeded the limit of record(); zeros were used"):format(
      image.offset and argument_at(image.offset) or "reference " .. image.name)
  end
end

-- ---- the launch -----------------------------------------------------------------------------------------------------

local options = { grid = numbers(fields.grid), block = numbers(fields.block), shared = tonumber(fields.shared) }
if fields.cooperative == "1" then options.cooperative = true end
if fields.cluster then options.cluster = numbers(fields.cluster) end

local function launch()
  local mod = core.module_load(fields.ptx)
  local fn = get_function(mod, fields.kernel)
  for _, image in ipairs(images) do
    if image.name then cuda.memcpy_htod(mod:get_global(image.name), ffi.new("uint64_t[1]", image.object:handle())) end
  end
  local values = {}
  for i, p in ipairs(core.function_params(fn)) do values[i] = ffi.string(arguments + p.offset, p.size) end
  softgpu.check(table.concat(CHECKS, ","))
  values[#values + 1] = options
  fn(unpack(values))
  cuda.Context.synchronize()
end

-- ---- the text -------------------------------------------------------------------------------------------------------

-- The lines of the source around the place of the fault.
local function excerpt(json)
  local name, line = json:match '"file":"([^"]*)"', tonumber(json:match '"line":(%d+)')
  if not (fields.source and name and line and name:match "[^/]*$" == fields.name:match "[^/]*$") then return "" end
  local out, n = {}, 0
  for text in (fields.source .. "\n"):gmatch "(.-)\n" do
    n = n + 1
    if math.abs(n - line) <= 1 then
      out[#out + 1] = ("%s %4d | %s\n"):format(n == line and ">" or " ", n, text)
    end
  end
  return table.concat(out)
end

local function shape(n) return ("(%d,%d,%d)"):format(n[1], n[2], n[3]) end

local launched = ("launched%s with grid %s, block %s%s"):format(fields.where ~= "" and " at " .. fields.where or "",
  shape(options.grid), shape(options.block),
  options.shared > 0 and (", %d bytes of shared memory"):format(options.shared) or "")
for _, note in ipairs(notes) do launched = launched .. "\n" .. note end

local ok, err = pcall(launch)
if ok then
  local checks = "bounds, alignment, " .. table.concat(CHECKS, ", ")
  finish("good", fields.kernel, "", ("kernel %s ran on the software device without a fault; checked: %s\n%s"):format(
    fields.kernel, checks, launched))
end
local detail = errors.is_error(err) and err.sticky and err.detail
if not detail or detail == "" then finish("refused", fields.kernel, "", tostring(err)) end
detail = detail:gsub(", made at ([^)]*):1%)", "; %1)"):gsub("%s+$", "")
local json = softgpu.report "json"
finish("fault", fields.kernel, json, ("%s\n%s%s"):format(detail, excerpt(json), launched))
