-- Rounds, rows and the table of bench/arrays.lua.
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

local rows, missed, met = {}, {}, 0

local function cell(x, format) return x and x == x and (format or "%.4g"):format(x) or "-" end

function M.head()
  print(("%-52s %-4s  %9s %9s  %6s  %-18s %-10s %9s %9s"):format("", "", "by hand/C", "cudalua", "ratio", "goal", "",
    "CuPy", "PyTorch"))
end

---Prints a row and keeps it for the table.
---@param r {work: string, unit: string, base: number?, ours: number?, ratio: number?, goal: string?, ok: boolean?,
---  cupy: number?, torch: number?, note: string?}
---@param counts boolean  is the goal one here?
function M.row(r, counts)
  if r.goal and counts then
    r.verdict = r.ok and "met" or "MISSED"
    if r.ok then met = met + 1 else missed[#missed + 1] = r.work end
  end
  rows[#rows + 1] = r
  print(("%-52s %-4s  %9s %9s  %6s  %-18s %-10s %9s %9s  %s"):format(r.work, r.unit, cell(r.base), cell(r.ours),
    cell(r.ratio, "%.3f"), r.goal or "", r.verdict or "", cell(r.cupy), cell(r.torch), r.note or ""))
  io.stdout:flush()
end

---All rows in Markdown.
function M.table()
  print "\n| work | unit | by hand, or C | cudalua | ratio | goal | CuPy | PyTorch | |"
  print "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
  for _, r in ipairs(rows) do
    local goal = (r.goal or "") .. (r.verdict == "MISSED" and " **missed**" or r.verdict and " met" or "")
    print(("| %s |"):format(table.concat({ r.work, r.unit, cell(r.base), cell(r.ours), cell(r.ratio, "%.3f"), goal,
      cell(r.cupy), cell(r.torch), r.note or "" }, " | ")))
  end
end

---The closing line.
function M.summary(what)
  print(("\n%s; %d rows, %d of %d goals met%s"):format(what, #rows, met, met + #missed,
    #missed > 0 and "; missed: " .. table.concat(missed, "; ") or ""))
end

return M
