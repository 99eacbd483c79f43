-- Calls between the ranks of a group: arguments, what the ranks must agree on, results.
--
-- If a rank refuses its arguments, it still takes part in the call, with an error text in place of a signature. The
-- other ranks then raise the error instead of waiting, and all ranks stay at the same call.

local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local handles = require "cudalua.distributed.handle"
local host = require "cudalua.base.ffi"
local layout = require "cudalua.base.layout"
local operands = require "cudalua.distributed.operands"
local pairs_of = require "cudalua.base.pairs_of"

local refuse = layout.refuse

local M = {}

-- ---- agreeing -------------------------------------------------------------------------------------------------------

local REFUSED = "\1"

-- "ranks 0, 2 and 3"
local function ranks_text(list)
  if #list == 1 then return "rank " .. list[1] end
  return ("ranks %s and %s"):format(table.concat(list, ", ", 1, #list - 1), list[#list])
end

-- Ranks by their text, in the order of the first of each.
local function by_text(texts)
  local groups, of = {}, {}
  for k, text in ipairs(texts) do
    if not of[text] then
      of[text] = { text = text }
      groups[#groups + 1] = of[text]
    end
    table.insert(of[text], k - 1)
  end
  return groups
end

---Raises what other ranks refused, if they did.
---@param where string
---@param texts string[]  of the members
function M.check_refused(where, texts)
  for k, text in ipairs(texts) do
    if text:sub(1, 1) == REFUSED then
      local message = ("%s: rank %d refused the call: %s"):format(where, k - 1, text:sub(2))
      errors.raise("LogicError", message, { rank = k - 1 })
    end
  end
end

-- Do the calls differ in checksums of elements alone?
local function differ_in_elements(texts)
  local first
  for _, text in ipairs(texts) do
    local rest, n = text:gsub("checksum %x+", "")
    if n == 0 or first and rest ~= first then return false end
    first = rest
  end
  return true
end

local CALLS_DIFFER = "the ranks must make the same call with the same shape and dtype, but their calls differ; %s"
local ELEMENTS_DIFFER = "the ranks must pass the same elements, but theirs differ; %s; make them equal, for example "
  .. "with world:broadcast(a)"

-- problem: with %s for what the ranks said.
local function disagree(where, texts, problem)
  M.check_refused(where, texts)
  local parts = {}
  for k, group in ipairs(by_text(texts)) do
    parts[k] = ("%s: %s"):format(ranks_text(group), group.text)
  end
  problem = problem or differ_in_elements(texts) and ELEMENTS_DIFFER or CALLS_DIFFER
  errors.raise("LogicError", ("%s: " .. problem):format(where, table.concat(parts, "; ")))
end

local function text_of(err)
  if errors.is_error(err) then return err.message end
  return tostring(err)
end

---Calls f(...). If it raises, the other ranks get the error in their call.
---@param group cudalua.distributed.Group
---@param where string
---@param f function
---@param ... any
---@return any ...
function M.prepared(group, where, f, ...)
  local ok, a, b = pcall(f, ...)
  if ok then return a, b end
  local text = text_of(a)
  pcall(group._control.refuse, group._handle, where, REFUSED .. text:sub(1, 3000))
  error(a, 0)
end

---Texts of all members, if all called the same function.
---@param group cudalua.distributed.Group
---@param where string
---@param text string
---@return string[]  without the function's name
function M.exchange(group, where, text)
  local texts = group._control.exchange(group._handle, where, where .. " " .. text)
  local own, same = {}, true
  for k, x in ipairs(texts) do
    same = same and x:sub(1, #where + 1) == where .. " "
    own[k] = x:sub(#where + 2)
  end
  if not same then disagree(where, texts) end
  return own
end

---Raises unless all members said the same.
---@param where string
---@param texts string[]  of exchange()
---@param problem? string  what is wrong, with %s for what each rank said; default: the calls or the elements differ
function M.check_same(where, texts, problem)
  local same = true
  for _, text in ipairs(texts) do same = same and text == texts[1] end
  if same then return end
  if problem then disagree(where, texts, problem) end
  for k, text in ipairs(texts) do texts[k] = where .. " " .. text end
  disagree(where, texts)
end

-- ---- arguments ------------------------------------------------------------------------------------------------------

local OPS = { "sum", "prod", "min", "max", "mean" }
local MEANT = { product = "prod", avg = "mean", average = "mean", minimum = "min", maximum = "max", add = "sum",
  mul = "prod" }

local known_op = {}
for _, op in ipairs(OPS) do known_op[op] = true end

local function check_op(group, where, op, dtype)
  if op == nil then op = "sum" end
  if not known_op[op] then
    local meant = MEANT[op] and ("; write op = '%s'"):format(MEANT[op]) or ""
    refuse(where, "op must be 'sum', 'prod', 'min', 'max' or 'mean', got %s%s", errors.text(op), meant)
  end
  if group._data.takes(dtype.name, op) then return op end
  if core.shared_takes(dtype.name, op) then
    refuse(where, "op '%s' is not defined for %s: %s", op, dtype.name, group._data.remedy(dtype.name, op))
  end
  local remedy = "convert the array with astype('float32')"
  if dtype.kind == "bool" then
    remedy = op == "mean" and remedy or "use 'max' for any and 'min' for all, or convert the array with astype('int64')"
  elseif dtype.kind == "complex" then
    remedy = "complex numbers have no order; use abs() or real()"
  elseif dtype.kind == "struct" then
    remedy = "combine its fields one by one"
  end
  refuse(where, "op '%s' is not defined for %s; %s", op, dtype.name, remedy)
end

---A rank of the group.
---@param where string
---@param name string
---@param x any
---@param group cudalua.distributed.Group
---@return integer
function M.check_rank(where, name, x, group)
  local rank = layout.whole(x)
  if not rank or rank < 0 or rank >= group.size then
    refuse(where, "%s must be a rank from 0 to %d, got %s", name, group.size - 1, element.describe(x))
  end
  return rank
end

local function check_async(where, async)
  if async == nil or type(async) == "boolean" then return async or false end
  refuse(where, "async must be true or false, got %s", errors.text(async))
end

local function check_out(where, out, dtype, shape)
  if out == nil then return nil end
  local x = operands.of(where, "out", out)
  if x.dtype ~= dtype or not layout.same(x.shape, shape) then
    refuse(where, "out must be %s, got %s", operands.text(dtype, shape), operands.text(x.dtype, x.shape))
  end
  return x
end

-- ---- shapes ---------------------------------------------------------------------------------------------------------

-- If an array has a part for each rank, its first axis counts the ranks.
local function stacked(shape, size)
  local all = { size }
  for k, extent in ipairs(shape) do all[k + 1] = extent end
  return all
end

local function parts_of(where, x, size)
  if x.shape[1] ~= size then
    refuse(where, "the first axis must have one position for each of the %d ranks, got the shape %s", size,
      layout.text(x.shape))
  end
  return { unpack(x.shape, 2) }
end

---How a kind of call distributes arrays.
---@class cudalua.distributed.Form
---@field options? table<string, boolean>  follow from the rest
---@field divided? boolean  the operand has a part for each rank
---@field joined? boolean   the result has a part of each rank
---@field reduces? boolean
---@field rooted? boolean   one rank has or gets everything
---@field to_root? boolean  the others get nothing

---@type table<string, cudalua.distributed.Form>
local forms = {
  all_reduce = { reduces = true },
  reduce = { reduces = true, rooted = true, to_root = true },
  broadcast = { rooted = true },
  all_gather = { joined = true },
  gather = { joined = true, rooted = true, to_root = true },
  scatter = { divided = true, rooted = true },
  reduce_scatter = { divided = true, reduces = true },
  all_to_all = { divided = true, joined = true },
}
for _, form in pairs_of(forms) do
  form.options = { out = true, async = true, op = form.reduces, root = form.rooted }
end

-- ---- calls ----------------------------------------------------------------------------------------------------------

---A call that this rank is about to make.
---@class cudalua.distributed.Planned
---@field kind string
---@field where string
---@field signature? string               nil: the ranks do not compare them
---@field x? cudalua.distributed.Operand  what this rank gives
---@field out? cudalua.distributed.Operand
---@field gets boolean
---@field dtype cudalua.dtype.DType
---@field part integer[]                  the shape of what one rank gives to one other
---@field result_shape integer[]
---@field op? string                      of reductions
---@field root integer
---@field on_device boolean               where the result goes without `out`
---@field async boolean

local function signature(where, name, op, root, dtype, part)
  local text = where == name and name or where .. " by " .. name
  if op then text = text .. " " .. op end
  local array = operands.text(dtype, part)
  if #array > 1000 then array = array:sub(1, 1000) .. "... " .. core.sha256(array) end -- of a large struct
  text = text .. " " .. array
  return root and ("%s, root %d"):format(text, root) or text
end

-- A rank that passes an array has x. A rank that only receives has `like`, with the dtype and shape.
local function complete(group, where, name, o, x, like)
  local form, dtype, shape = forms[name], (x or like).dtype, (x or like).shape
  local part = form.divided and parts_of(where, x or like, group.size) or shape
  local op = form.reduces and check_op(group, where, o.op, dtype) or nil
  local gets = not form.to_root or o.root == group.rank
  local result_shape = form.joined and stacked(part, group.size) or part
  if not gets and o.out ~= nil then
    refuse(where, "out is for rank %d alone, which gets the result", o.root)
  end
  local p = { kind = name, where = where, x = x, out = check_out(where, o.out, dtype, result_shape), gets = gets,
    dtype = dtype, part = part, result_shape = result_shape, op = op, root = o.root or 0,
    on_device = (x or like).on_device, async = o.async,
    signature = group._checks and signature(where, name, op, form.rooted and o.root, dtype, part) or nil }
  group._side.prepare(p, group)
  return p
end

local function read_options(group, where, name, options)
  local form = forms[name]
  local o = errors.options(where, options, form.options)
  local root = form.rooted and M.check_rank(where, "root", o.root == nil and 0 or o.root, group) or nil
  return { op = o.op, out = o.out, root = root, async = check_async(where, o.async) }
end

-- Where data is in device memory, the transport compares no signatures, and the texts go before.
local function compare(group, p)
  M.check_same(p.where, M.exchange(group, p.where, p.signature:sub(#p.where + 2)))
end

-- Makes a call; returns what the ranks said if it differs, otherwise nil and what the program gets.
local function make(group, p)
  local side = group._side
  local work = p.async and side.start and side.start(group, p)
  if work then return nil, handles.new(p.where, nil, work) end
  local differing = side.run(group, p)
  if differing then return differing end
  local result = side.finish(p)
  if p.async then return nil, handles.new(p.where, result) end
  return nil, result
end

local function finish(group, p)
  if group._side.compares and group._checks then compare(group, p) end
  local differing, result = make(group, p)
  if differing then disagree(p.where, differing) end
  return result
end

---Makes a call in which every rank passes an array.
---@param group cudalua.distributed.Group
---@param name string  "all_reduce", "reduce", "all_gather", "gather", "reduce_scatter" or "all_to_all"
---@param a any
---@param options any
---@param where? string  what messages call it, if it is a part of another function; default: name
---@return any result  nil on ranks that get none
function M.from_all(group, name, a, options, where)
  where = where or name
  if not group._checks then -- the others do not ask
    local result = group._side.at_once(group, where, name, a, options)
    if result then return result end
    return finish(group, complete(group, where, name, read_options(group, where, name, options),
      operands.of(where, "a", a)))
  end
  return finish(group, M.prepared(group, where, function()
    return complete(group, where, name, read_options(group, where, name, options), operands.of(where, "a", a))
  end))
end

-- Each rank sends a description of its array, or "-" without one. The array of root is the one that all get.
local function agreed(name, o, texts)
  local root = texts[o.root + 1]
  local different = false
  for _, text in ipairs(texts) do different = different or text ~= root and not text:find "^root %d+: %-" end
  if different then
    for k, text in ipairs(texts) do texts[k] = name .. ", " .. text end
    disagree(name, texts)
  end
  return root
end

-- Root's array by its text, for ranks that have passed none.
local function like_of(name, text)
  local dtype, extents = text:match "^root %d+: ([%w_]+) %((.-)%)$"
  local known = dtype and pcall(dtypes.of, dtype)
  if not known then refuse(name, "pass an array with the dtype and the shape of root's: %s", text) end
  local shape = {}
  for n in extents:gmatch "%d+" do shape[#shape + 1] = tonumber(n) end
  return { dtype = dtypes.of(dtype), shape = shape, on_device = true }
end

---Makes a call in which only one rank passes an array.
---@param group cudalua.distributed.Group
---@param name string  "broadcast" or "scatter"
---@param a any        nil on ranks that only get
---@param options any
---@param where? string  as for from_all
---@return any
function M.from_root(group, name, a, options, where)
  where = where or name
  local o, x = M.prepared(group, where, function()
    local found = read_options(group, where, name, options)
    return found, (a ~= nil or found.root == group.rank) and operands.of(where, "a", a) or nil
  end)
  local text = ("root %d: %s"):format(o.root, x and operands.text(x.dtype, x.shape) or "-")
  local root = agreed(where, o, M.exchange(group, where, text))
  local function completed()
    return complete(group, where, name, o, o.root == group.rank and x or nil, x or like_of(where, root))
  end
  return finish(group, group._checks and M.prepared(group, where, completed) or completed())
end

---Waits for all ranks.
---@param group cudalua.distributed.Group
function M.barrier(group)
  local differing = group._control.run(group._handle, { kind = "barrier", where = "barrier", signature = "barrier",
    bytes = 0, root = 0 })
  if differing then disagree("barrier", differing) end
end

-- ---- bytes ----------------------------------------------------------------------------------------------------------

---The number of bytes that root sends. Each rank has sent the number of root, and root the number of bytes.
---@param where string
---@param root integer
---@param texts string[]  of exchange()
---@return integer
function M.length_from(where, root, texts)
  local length
  for k, text in ipairs(texts) do
    local own, bytes = text:match "^(root %d+),? ?(%d*)"
    if k == root + 1 then length = tonumber(bytes) end
    texts[k] = own
  end
  M.check_same(where, texts)
  return length
end

---Copies bytes of root to all ranks.
---@param group cudalua.distributed.Group
---@param m {where: string, root: integer, bytes: integer, input: string?, output: ffi.cdata*?}
function M.move_bytes(group, m)
  local memory = m.output and host.host_buffer(m.where, m.output, nil, true) or nil
  local differing = group._control.run(group._handle, { kind = "broadcast", where = m.where,
    signature = m.where .. " of bytes", bytes = m.bytes, root = m.root, input = m.input, output = memory })
  if differing then disagree(m.where, differing) end
end

-- ---- from one rank to another ---------------------------------------------------------------------------------------

local function check_peer(where, key, options, group, known)
  local o = errors.options(where, options, known)
  if group.size == 1 then
    refuse(where, "%s must be another rank, but %s", key, group._made and "this is the only rank of the group"
      or "this program has only one rank; start it with: cudalua run -n 2 script.lua")
  end
  local peer = M.check_rank(where, key, o[key], group)
  if peer == group.rank then refuse(where, "%s is this rank itself, %d", key, peer) end
  return peer, check_async(where, o.async), o.out
end

local function disagree_pair(where, sender, receiver, texts)
  errors.raise("LogicError", ("%s: rank %d sends %s, but rank %d expects %s"):format(where, sender, texts[1], receiver,
    texts[2]))
end

local SEND, RECV = { to = true, async = true }, { from = true, out = true, async = true }

-- A plan of send or recv.
local function pair_plan(group, where, kind, x, peer, fields)
  local p = { kind = kind, where = where, signature = group._checks and operands.text(x.dtype, x.shape) or nil,
    dtype = x.dtype, part = x.shape, result_shape = x.shape, root = peer, on_device = x.on_device, x = fields.x,
    out = fields.out, gets = fields.gets, async = fields.async }
  group._side.prepare(p, group)
  return p
end

-- As make(), and compares the calls before that where the transport does not.
local function run_pair(group, p)
  if group._side.compares and p.signature then
    local differing = group._control.run(group._handle, { kind = p.kind, where = p.where, signature = p.signature,
      bytes = 0, root = p.root })
    if differing then return differing end
  end
  return make(group, p)
end

---@param group cudalua.distributed.Group
---@param a any
---@param options any
---@param where? string  as for from_all
---@return cudalua.distributed.Handle?
function M.send(group, a, options, where)
  where = where or "send"
  local to, async = check_peer(where, "to", options, group, SEND)
  local x = operands.of(where, "a", a)
  local differing, handle = run_pair(group, pair_plan(group, where, "send", x, to, { x = x, async = async }))
  if differing then disagree_pair(where, group.rank, to, differing) end
  return handle
end

---@param group cudalua.distributed.Group
---@param a any
---@param options any
---@param where? string  as for from_all
---@return any
function M.recv(group, a, options, where)
  where = where or "recv"
  local from, async, given = check_peer(where, "from", options, group, RECV)
  local x = operands.of(where, "a", a)
  local out = check_out(where, given, x.dtype, x.shape)
  local p = pair_plan(group, where, "recv", x, from, { out = out, gets = true, async = async })
  local differing, result = run_pair(group, p)
  if differing then disagree_pair(where, from, group.rank, differing) end
  return result
end

return M
