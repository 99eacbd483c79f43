-- Options of nvcc, which programs for PyCUDA bring along, as NVRTC has them. What is for nvcc's host compiler, linker
-- or files is left out, and a notice says so once. What NVRTC has in other words is translated. What asks for another
-- kind of output is an error that names cudalua's own way. Anything else goes to NVRTC as it is.

local errors = require "cudalua.base.errors"
local notice = require "cudalua.base.notice"

local M = {}

---@class cudalua.NvccOption
---@field value boolean?  it has a value: "-O=3", "-Xptxas -v", or the next element of the list
---@field to? fun(value: string?): string?  the option for NVRTC; nil: left out
---@field same boolean?   NVRTC has it, too
---@field hint string?    it is an error

local options = {} ---@type table<string, cudalua.NvccOption>  by name without dashes: nvcc takes one or two

local function these(names, meaning)
  for name in names:gmatch "%S+" do options[name] = meaning end
end

local function nothing() end

these([[g debug pg profile m64 v verbose k keep save-temps noprof allow-unsupported-compiler no-compress compress-all
  expt-relaxed-constexpr expt-extended-lambda extended-lambda no-exceptions no-align-double objdir-as-tempdir
  forward-unknown-to-host-compiler forward-unknown-to-host-linker forward-unknown-opts Wno-deprecated-gpu-targets
  Wno-deprecated-declarations O0 O1 O2 O3 O4 xcu]], { to = nothing })
these([[Xcompiler compiler-options Xlinker linker-options Xarchive archive-options Xnvlink nvlink-options Xfatbin
  fatbin-options ccbin compiler-bindir cudart cudadevrt t threads l library L library-path keep-dir x language ldir
  default-stream libdevice-directory target-directory target-dir odir output-directory O optimize gencode generate-code
  compress-mode static-global-template-stub device-entity-has-hidden-visibility]], { value = true, to = nothing })
these("Xptxas ptxas-options", { value = true, to = function(value) return "--ptxas-options=" .. value end })
these("res-usage resource-usage", { to = function() return "--ptxas-options=-v" end })
these("isystem system-include", { value = true, to = function(value) return "-I" .. value end })
these("Xcudafe cudafe-options", { value = true, to = function(value)
  local what, numbers = value:match "^%-%-diag_(%l+)=(.*)$"
  return what and ("--diag-%s=%s"):format(what, numbers) or nil
end })
these("use_fast_math G device-debug lineinfo generate-line-info dc device-c w restrict", { same = true })
these([[D define-macro U undefine-macro I include-path include pre-include std maxrregcount arch gpu-architecture ftz
  fmad prec-div prec-sqrt rdc relocatable-device-code diag-suppress diag-error diag-warn]],
  { value = true, same = true })
these("c compile cubin ptx fatbin cuda E preprocess dlink device-link lib link run shared o output-file dryrun", {
  hint = 'cuda.compile returns the image; its option target is "cubin", "ptx" or "ltoir"',
})
these("code gpu-code", { hint = 'pass the architecture of the machine code as code = "sm_90"' })
these("m32 m machine", { hint = "devices have 64-bit addresses; omit it" })

-- What an option is, and the value in the same string: "--threads=4", "-Xptxas -v", "-lcudadevrt". The rest of a string
-- that holds several options counts as a value. Nil: unknown here.
local function read(text)
  local name, sign, value = text:match "^%-%-?(%a[%w_-]*)([=%s]?)%s*(.*)$"
  local known = name and options[name]
  if known and (sign ~= "" or value == "") and (sign ~= "=" or known.value or known.hint) then
    return known, value ~= "" and value or nil, sign
  end
  local letter, joined = text:match "^%-([lL])(%S.*)$"
  if not letter then letter, joined = text:match "^%-(t)(%d+)$" end
  return options[letter], joined, ""
end

local told = {} -- options, in this process

local function tell(where, dropped)
  local new = {}
  for _, text in ipairs(dropped) do
    if not told[text] then new[#new + 1] = text end
    told[text] = true
  end
  if #new > 0 then notice(("%s: ignored options that only nvcc uses: %s"):format(where, table.concat(new, ", "))) end
end

---A list of options for NVRTC.
---@param where string   function, for messages
---@param given string[] nvcc's or NVRTC's
---@return string[]
---@raise LogicError for an option that cudalua has another way for, or whose value is missing
function M.translate(where, given)
  local queue, list, dropped, i = { unpack(given) }, {}, {}, 1
  while queue[i] do
    local text = queue[i]
    local option, value, sign = read(text)
    if option and option.hint then
      errors.raise("LogicError", ("%s: nvcc's option %s has no equivalent here"):format(where, errors.text(text)), {
        hint = option.hint,
      })
    end
    if option and not option.value and value then -- more options in the same string
      text, queue[i], i, value = text:match "^%S+", value, i - 1, nil
    elseif option and option.value and not value then
      i = i + 1
      value, sign = queue[i], " "
      if not value then
        errors.raise("LogicError", ("%s: option %s has no value"):format(where, errors.text(text)))
      end
      text = text .. " " .. value
    end
    local to = option and option.to and option.to(value)
    if not option or option.same and (sign == "=" or not value) then
      list[#list + 1] = text
    elseif option.same then
      list[#list + 1] = text:match "^%S+"
      list[#list + 1] = value
    elseif to then
      list[#list + 1] = to
    else
      dropped[#dropped + 1] = text
    end
    i = i + 1
  end
  tell(where, dropped)
  return list
end

return M
