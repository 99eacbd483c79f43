-- Rounds, rows and tables of the benchmarks that have goals and peers.
local M = {}

---@param list number[]
---@return number? median  nil: of nothing
---@return number? least
function M.median(list)
  local sorted = { unpack(list) }
  table.sort(sorted)
  return sorted[math.floor(#sorted / 2) + 1], sorted[1]
end

---The median of a[r] / b[r].
function M.ratio(a, b)
  local list = {}
  for r = 1, #a do list[r] = a[r] / b[r] end
  return (M.median(list))
end

---Calls the forms { name, f } in turns, `n` times after a first time that does not count.
---@return table<string, number[]> results  by name; those that are nil are left out
function M.turns(n, forms)
  local times = {}
  for _, form in ipairs(forms) do
    times[form[1]] = {}
    form[2]()
  end
  for _ = 1, n do
    for _, form in ipairs(forms) do
      local list = times[form[1]]
      list[#list + 1] = form[2]()
    end
  end
  return times
end

local rows, missed, met, unjudged = {}, {}, 0, {}
local far, aims = {}, 0

local function cell(x, format) return x and x == x and (format or "%.4g"):format(x) or "-" end

---@param base string  what the first column of numbers is
function M.head(base)
  print(("%-52s %-6s  %9s %9s  %6s  %-22s %-7s %9s %9s"):format("", "", base, "cudalua", "ratio", "goal", "", "CuPy",
    "PyTorch"))
end

---Prints a row and keeps it for the table.
---@param r {work: string, unit: string, base: number?, ours: number?, ratio: number?, goal: string?, ok: boolean?,
---  aimed: boolean?, cupy: number?, torch: number?, note: string?}  ok: nil where what the goal is measured by is
---  missing; aimed: is what one would like reached too? nil: there is no such number
---@param counts boolean  is the goal one here?
function M.row(r, counts)
  if r.goal and counts then
    if r.ok == nil then
      unjudged[#unjudged + 1] = r.work
    else
      r.verdict = r.ok and (r.aimed and "aim met" or "met") or "MISSED"
      if r.ok then met = met + 1 else missed[#missed + 1] = r.work end
      if r.aimed then aims = aims + 1 elseif r.aimed == false then far[#far + 1] = r.work end
    end
  end
  rows[#rows + 1] = r
  print(("%-52s %-6s  %9s %9s  %6s  %-22s %-7s %9s %9s  %s"):format(r.work, r.unit, cell(r.base), cell(r.ours),
    cell(r.ratio, "%.3f"), r.goal or "", r.verdict or "", cell(r.cupy), cell(r.torch), r.note or ""))
  io.stdout:flush()
end

---All rows in Markdown.
---@param base string  as for head
function M.table(base)
  print(("\n| work | unit | %s | cudalua | ratio | goal | CuPy | PyTorch | |"):format(base))
  print "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
  for _, r in ipairs(rows) do
    local goal = (r.goal or "") .. (r.verdict == "MISSED" and " **missed**" or r.verdict and " " .. r.verdict or "")
    print(("| %s |"):format(table.concat({ r.work, r.unit, cell(r.base), cell(r.ours), cell(r.ratio, "%.3f"), goal,
      cell(r.cupy), cell(r.torch), r.note or "" }, " | ")))
  end
end

local function listed(text, list) return #list > 0 and text .. table.concat(list, "; ") or "" end

---The closing line.
function M.summary(what)
  print(("\n%s; %d rows, %d of %d goals met%s%s%s%s"):format(what, #rows, met, met + #missed,
    listed("; missed: ", missed), aims + #far > 0 and ("; %d of %d aims met"):format(aims, aims + #far) or "",
    listed("; below: ", far), listed("; not judged: ", unjudged)))
end

return M
