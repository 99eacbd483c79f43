-- Plans: what a transform of some length needs besides its elements. A context keeps the few that were used last.

local core = require "cudalua.core"
local bluestein = require "cudalua.fft.bluestein"
local element = require "cudalua.base.element"
local layout = require "cudalua.base.layout"
local pairs_of = require "cudalua.base.pairs_of"
local passes = require "cudalua.fft.passes"
local tables = require "cudalua.fft.tables"

local M = {}

local limit = 16
local lists = {} -- by context: plans, the one that was used last at the end

local function shorten(list)
  while #list > limit do table.remove(list, 1) end
end

---How many plans a context keeps.
---@param n? integer  set to this
---@return integer
---@raise LogicError unless it is a non-negative integer
function M.limit(n)
  if n ~= nil then
    local count = layout.whole(n)
    if not count or count < 0 then
      layout.refuse("fft.plan_limit", "n must be a non-negative integer, got " .. element.describe(n))
    end
    limit = count
    for _, list in pairs_of(lists) do shorten(list) end
  end
  return limit
end

---Forgets all plans, of all contexts.
function M.clear() lists = {} end

---How many plans the current context has.
---@return integer
function M.count() return #(lists[core.context_id()] or {}) end

---A plan of the current context by its key, made if it is not there.
---@param key string
---@param make fun(...): table
---@param ... any  for make()
---@return table plan
function M.kept(key, make, ...)
  local id = core.context_id()
  local list = lists[id] or {}
  for i = #list, 1, -1 do
    local entry = list[i]
    if entry.key == key then
      table.insert(list, table.remove(list, i))
      return entry.plan
    end
  end
  local plan = make(...)
  lists[id] = list
  list[#list + 1] = { key = key, plan = plan }
  shorten(list)
  return plan
end

local function complex(what, n, double, rows)
  return passes.plan(what, n, double, rows) or bluestein.plan(what, n, double, rows)
end

---The plan of a complex transform along one axis, in the current context.
---@param what string
---@param n integer
---@param double boolean
---@param rows boolean  the axis is the last one
---@return table plan  for add()
function M.complex(what, n, double, rows)
  return M.kept(("complex %.0f %s %s"):format(n, double, rows), complex, what, n, double, rows)
end

---The plan of a real transform of an even length: that of half of it, and the powers of the root.
---@param what string
---@param n integer
---@param double boolean
---@param rows boolean
---@return table plan  half: a complex one; powers
function M.real(what, n, double, rows)
  return M.kept(("real %.0f %s %s"):format(n, double, rows), function()
    local plan = { n = n, double = double, half = complex(what, n / 2, double, rows), leaves = {},
      powers = tables.powers(what, n) }
    for i, leaf in ipairs(plan.half.leaves) do plan.leaves[i] = leaf end
    plan.leaves[#plan.leaves + 1] = plan.powers
    return plan
  end)
end

---Adds the launches of a complex transform to a sequence.
---@param steps cudalua.gpuarray.Sequence
---@param plan table
---@param job cudalua.fft.Job
function M.add(steps, plan, job)
  return (plan.filter and bluestein or passes).add(steps, plan, job)
end

return M
