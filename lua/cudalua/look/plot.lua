-- cuda.plot: lines, points, histograms and bars, in the terminal or as an SVG file.

local boxes = require "cudalua.look.boxes"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local layout = require "cudalua.base.layout"
local pairs_of = require "cudalua.base.pairs_of"
local scale = require "cudalua.look.scale"
local series = require "cudalua.look.series"
local terminal = require "cudalua.look.terminal"

local refuse = layout.refuse
local WHAT = "plot"

---@class cudalua
local M = {}

local ROOM = 0.04 -- around values, part of an axis
local BAR = 0.8   -- of the distance of bars
local WIDTH, HEIGHT, LEAST, MOST = 640, 400, 100, 20000 -- pixels of a file

-- Colours of series that are told apart on dark and light grounds, by most eyes.
local COLOURS = { { 59, 130, 214 }, { 232, 130, 46 }, { 63, 163, 91 }, { 214, 69, 80 }, { 148, 103, 189 },
  { 140, 120, 90 }, { 219, 112, 182 }, { 110, 150, 160 } }

---A plot that is ready to be drawn.
---@class cudalua.look.Plot
---@field series table[]
---@field x cudalua.look.Scale
---@field y cudalua.look.Scale
---@field names? {x: number, text: string}[]  ticks of the axis below that are not numbers
---@field title? string
---@field xlabel? string
---@field ylabel? string
---@field legend boolean
---@field histograms integer  how many
---@field colour fun(i: integer): integer[]
---@field draw fun(on: table)  calls on:line, on:point and on:rect with places from 0 to 1

-- ---- arguments ------------------------------------------------------------------------------------------------------

local kinds = { line = true, scatter = true, hist = true, bars = true }

local function kind_of(kind, default)
  if kind == nil then return default end
  if not kinds[kind] then
    refuse(WHAT, ("kind must be line, scatter, hist or bars, got %s"):format(errors.text(kind)))
  end
  return kind
end

local function text_option(o, name)
  local x = o[name]
  if x ~= nil and type(x) ~= "string" then
    refuse(WHAT, ("%s must be a string, got %s"):format(name, element.describe(x)))
  end
  return x
end

-- The list part of a table and its named fields.
local function parts(t)
  local list, named = {}, {}
  for key, value in pairs_of(t) do
    if type(key) == "number" then list[key] = value else named[key] = value end
  end
  for key in pairs_of(list) do
    if key < 1 or key > #list or key ~= math.floor(key) then
      refuse(WHAT, ("the series must be a list, but it has the field %s"):format(tostring(key)))
    end
  end
  return list, named
end

local function is_plain(x) return type(x) == "table" and getmetatable(x) == nil end

-- Is it a series of its own, not the numbers of one?
local function is_series(x)
  return is_plain(x) and not series.is_array(x) and (type(x[1]) == "table" or x.kind ~= nil or x.label ~= nil or
    x.x ~= nil or x.y ~= nil)
end

local function are_numbers(list)
  for _, x in ipairs(list) do
    if type(x) ~= "number" then return false end
  end
  return true
end

-- The numbers of a series: by place, or by their names x and y. Plain numbers are its y.
local function numbers_of(list, named, kind)
  local x, y = named.x, named.y
  if x == nil and y == nil then return #list > 0 and are_numbers(list) and { list } or list end
  if #list > 0 then refuse(WHAT, "pass x and y by position or by name, not both") end
  if y == nil and kind ~= "hist" then refuse(WHAT, "x needs y: {x = a, y = b}") end
  if y == nil then return { x } end
  return x == nil and { y } or { x, y }
end

local function series_of(list, o, view)
  local default, all = kind_of(o.kind, "line"), {}
  local by_name = o.x ~= nil or o.y ~= nil
  if #list == 0 and not by_name then refuse(WHAT, "nothing to plot: pass {y}, {x, y} or a list of series") end
  if by_name or not is_series(list[1]) then
    all[1] = series.new(numbers_of(list, o, default), default, text_option(o, "label"), view)
    return all
  end
  if o.label ~= nil then refuse(WHAT, "several series have labels of their own: {{y, label = 'a'}, ...}") end
  for i, item in ipairs(list) do
    if not is_series(item) then
      refuse(WHAT, ("the series %d must be a table such as {x, y, label = 'a'}, got %s"):format(i,
        element.describe(item)))
    end
    local data, named = parts(item)
    errors.options(WHAT, named, { kind = true, label = true, x = true, y = true })
    local kind = kind_of(named.kind, default)
    all[i] = series.new(numbers_of(data, named, kind), kind, text_option(named, "label"), view)
  end
  return all
end

-- ---- axes -----------------------------------------------------------------------------------------------------------

local function check_limits(o, name, log)
  local x = o[name]
  if x == nil then return nil end
  local ok = is_plain(x) and #x == 2 and type(x[1]) == "number" and type(x[2]) == "number" and x[2] - x[1] > 0
    and x[2] - x[1] < math.huge
  if not ok then refuse(WHAT, ("%s must be two finite numbers, {low, high}"):format(name)) end
  if log and x[1] <= 0 then refuse(WHAT, ("%s must be positive on a logarithmic axis"):format(name)) end
  return x
end

-- The smallest and the largest of values that have a place on an axis.
local function extend(low, high, values, n, log)
  for i = 0, n - 1 do
    local x = values[i]
    if x - x == 0 and (x > 0 or not log) then low, high = math.min(low, x), math.max(high, x) end
  end
  return low, high
end

-- Half the width of bars.
local function half_width(s)
  local least, xs = math.huge, {}
  for i = 0, s.x.n - 1 do xs[i + 1] = s.x.p[i] end
  table.sort(xs, function(a, b) return a < b end)
  for i = 2, #xs do
    if xs[i] > xs[i - 1] then least = math.min(least, xs[i] - xs[i - 1]) end
  end
  return (least < math.huge and least or 1) * BAR / 2
end

local function axis_x(all, limits, log)
  if limits then return scale.new(limits[1], limits[2], log) end
  local low, high, room, half = math.huge, -math.huge, 0, 0
  for _, s in ipairs(all) do
    if s.edges then
      low, high = extend(low, high, s.edges.p, s.edges.n, log)
    else
      low, high = extend(low, high, s.x.p, s.x.n, log)
      if s.kind == "scatter" then room = ROOM end
      half = s.half or half
    end
  end
  if low > high then low, high = 1, 10 end
  if half > 0 and log then refuse(WHAT, "bars have no logarithmic x") end
  low, high = low - half / BAR, high + half / BAR
  if low == high or room > 0 then low, high = scale.widened(low, high, log, room) end
  return scale.new(low, high, log)
end

local function axis_y(all, limits, log)
  if limits then return scale.new(limits[1], limits[2], log) end
  local low, high, from_zero = math.huge, -math.huge, false
  for _, s in ipairs(all) do
    low, high = extend(low, high, s.y.p, s.y.n, log)
    from_zero = from_zero or s.kind == "hist" or s.kind == "bars"
  end
  if low > high then low, high = log and 1 or 0, log and 10 or 1 end
  if not from_zero or log then
    low, high = scale.widened(low, high, log, ROOM)
    return scale.new(from_zero and low / 2 or low, high, log)
  end
  local more = (math.max(high, 0) - math.min(low, 0)) * ROOM
  if more == 0 then more = 1 end
  return scale.new(low < 0 and low - more or 0, high > 0 and high + more or 0, log)
end

-- ---- drawing --------------------------------------------------------------------------------------------------------

-- The part of a line that is within the plot: Liang and Barsky's clipping.
local function clipped(u0, v0, u1, v1)
  local du, dv, from, to = u1 - u0, v1 - v0, 0, 1
  for _, edge in ipairs { { -du, u0 }, { du, 1 - u0 }, { -dv, v0 }, { dv, 1 - v0 } } do
    local p, q = edge[1], edge[2]
    if p == 0 then
      if q < 0 then return nil end
    elseif p < 0 then
      from = math.max(from, q / p)
    else
      to = math.min(to, q / p)
    end
  end
  if from > to then return nil end
  return from == 0 and u0 or u0 + from * du, from == 0 and v0 or v0 + from * dv, to == 1 and u1 or u0 + to * du,
    to == 1 and v1 or v0 + to * dv
end

local function inside(u, v) return u >= 0 and u <= 1 and v >= 0 and v <= 1 end

local function segment(on, u0, v0, u1, v1, i)
  if inside(u0, v0) and inside(u1, v1) then return on:line(u0, v0, u1, v1, i) end
  local a, b, c, d = clipped(u0, v0, u1, v1)
  if a then on:line(a, b, c, d, i) end
end

local drawers = {}

-- A value without a place is a gap; a point between gaps is a dot.
function drawers.line(s, i, plot, on)
  local x, y, last, before_u, before_v, alone = plot.x.place, plot.y.place, s.x.n, nil, nil, false
  for k = 0, last do
    local u, v = 0 / 0, 0 / 0
    if k < last then u, v = x(s.x.p[k]), y(s.y.p[k]) end
    if u - u ~= 0 or v - v ~= 0 then
      if alone then on:point(before_u, before_v, i) end
      before_u, alone = nil, false
    else
      alone = not before_u
      if before_u then segment(on, before_u, before_v, u, v, i) end
      before_u, before_v = u, v
    end
  end
end

function drawers.scatter(s, i, plot, on)
  for k = 0, s.x.n - 1 do on:point(plot.x.place(s.x.p[k]), plot.y.place(s.y.p[k]), i) end
end

-- A rectangle from the axis to a value.
local function bar(plot, on, x0, x1, value, i)
  local base = plot.y.log and 0 or math.max(0, math.min(1, plot.y.place(0)))
  local u0, u1, v = plot.x.place(x0), plot.x.place(x1), plot.y.place(value)
  if u0 - u0 ~= 0 or u1 - u1 ~= 0 or v - v ~= 0 or u1 < 0 or u0 > 1 then return end
  on:rect(u0, math.min(base, v), u1, math.max(base, v), i)
end

-- The outline of a histogram among several, which would hide each other.
local function outline(s, i, plot, on)
  local u, v = {}, {}
  local function to(x, y)
    u[#u + 1] = math.max(0, math.min(1, plot.x.place(x)))
    v[#v + 1] = y > 0 and math.max(0, math.min(1, plot.y.place(y))) or 0
  end
  to(s.edges.p[0], 0)
  for k = 0, s.y.n - 1 do
    to(s.edges.p[k], s.y.p[k])
    to(s.edges.p[k + 1], s.y.p[k])
  end
  to(s.edges.p[s.y.n], 0)
  for k = 2, #u do
    if u[k] == u[k] and u[k - 1] == u[k - 1] then on:line(u[k - 1], v[k - 1], u[k], v[k], i) end
  end
end

function drawers.hist(s, i, plot, on)
  if plot.histograms > 1 then return outline(s, i, plot, on) end
  for k = 0, s.y.n - 1 do bar(plot, on, s.edges.p[k], s.edges.p[k + 1], s.y.p[k], i) end
end

function drawers.bars(s, i, plot, on)
  local width = 2 * s.half / s.beside
  for k = 0, s.x.n - 1 do
    local from = s.x.p[k] - s.half + s.number * width
    bar(plot, on, from, from + width, s.y.p[k], i)
  end
end

-- Bars of several series stand side by side.
local function arrange_bars(all)
  local list, half = {}, math.huge
  for _, s in ipairs(all) do
    if s.kind == "bars" then
      list[#list + 1] = s
      half = math.min(half, half_width(s))
    end
  end
  for k, s in ipairs(list) do s.half, s.beside, s.number = half, #list, k - 1 end
end

local function names_of(all)
  for _, s in ipairs(all) do
    if s.names then
      local ticks = {}
      for k, name in ipairs(s.names) do ticks[k] = { x = k, text = name } end
      return ticks
    end
  end
end

local known = { x = true, y = true, kind = true, label = true, title = true, xlabel = true, ylabel = true, log = true,
  xlim = true, ylim = true, bins = true, file = true, to = true, colour = true, width = true, height = true }

local logs = { x = { true, false }, y = { false, true }, xy = { true, true } }

local function prepared(list, o)
  if o.log ~= nil and not logs[o.log] then
    refuse(WHAT, ("log must be 'x', 'y' or 'xy', got %s"):format(errors.text(o.log)))
  end
  local log_x, log_y = unpack(logs[o.log] or { false, false })
  local view = { log_x = log_x, log_y = log_y, xlim = check_limits(o, "xlim", log_x),
    ylim = check_limits(o, "ylim", log_y) }
  local all, histograms = series_of(list, o, view), {}
  for _, s in ipairs(all) do
    if s.kind == "hist" then histograms[#histograms + 1] = s end
  end
  if #histograms > 0 then
    series.count(histograms, o.bins)
  elseif o.bins ~= nil then
    refuse(WHAT, "bins needs kind = 'hist'")
  end
  arrange_bars(all)
  local plot = { series = all, title = text_option(o, "title"), xlabel = text_option(o, "xlabel"),
    ylabel = text_option(o, "ylabel"), legend = false, names = names_of(all), histograms = #histograms }
  for _, s in ipairs(all) do plot.legend = plot.legend or s.label ~= nil end
  plot.x = axis_x(all, view.xlim, log_x)
  plot.y = axis_y(all, view.ylim, log_y)
  function plot.colour(i) return COLOURS[(i - 1) % #COLOURS + 1] end
  function plot.draw(on)
    for i, s in ipairs(all) do drawers[s.kind](s, i, plot, on) end
  end
  return plot
end

local function pixels(o, name, default)
  local x = o[name]
  if x == nil then return default end
  local n = layout.whole(x)
  if not n or n < LEAST or n > MOST then
    refuse(WHAT, ("%s must be from %d to %d pixels, got %s"):format(name, LEAST, MOST, element.describe(x)))
  end
  return n
end

---@class cudalua.PlotOptions
---@field x? any  the x values, by name; also in a series: {x = a, y = b}
---@field y? any  the y values, by name; a histogram has either x or y
---@field kind? "line"|"scatter"|"hist"|"bars"  the kind of plot, default: "line"; "hist" takes one array of any shape;
---  the x of "bars" may be a list of strings
---@field label? string  the text of a series in the legend
---@field title? string  the title of the plot
---@field xlabel? string  the text below the x axis
---@field ylabel? string  the text beside the y axis
---@field log? "x"|"y"|"xy"  the logarithmic axes
---@field xlim? number[]  {low, high}, the range of the x axis; default: all values
---@field ylim? number[]  {low, high}, the range of the y axis; default: all values
---@field bins? integer|number[]  for histograms: the number of bins, or a list of edges; default 2 n^(1/3), at most 64,
---  from the smallest to the largest finite value
---@field file? string  the name of an SVG file to write
---@field to? file*|fun(text: string)  as for show
---@field colour? 24|8|0  as for show
---@field width? integer  the width in characters, default the terminal's; for a file in pixels, default 640
---@field height? integer  the height in lines, default the terminal's; for a file in pixels, default 400

---Draws lines, points, histograms or bars, in the terminal or to an SVG file. The list part of the table is {y}, {x, y}
---or series, {{x, y, label = "a"}, {y, label = "b", kind = "scatter"}}; x is 1, 2, 3 ... by default. Numbers are arrays
---on the device or the host, or lists. Numbers that are not finite leave gaps, and on logarithmic axes also those that
---are not positive. The device counts histograms of its arrays. If more than 65,536 values of lines and points are on
---the device, it reduces them to extremes and to cells that have points. It does so for lines only if their x ascends
---and no part of 4,096 would be seen.
---@param options cudalua.PlotOptions|cudalua.gpuarray.Array|cudalua.ndarray.Array  data and options, or the y values
---  alone
---@raise LogicError for data that are not real numbers or differ in length, and for invalid options; RuntimeError if
---  the file cannot be written
function M.plot(options)
  if boxes.on_device(options) or series.is_array(options) then options = { options } end
  if options == errors.WHICH or not is_plain(options) then options = errors.options(WHAT, options, known) end
  local list, o = parts(options)
  errors.options(WHAT, o, known)
  if o.file ~= nil then
    local whole = require "cudalua.files.whole"
    whole.check_path(WHAT, o.file)
    if o.to ~= nil or o.colour ~= nil then refuse(WHAT, "to and colour are for the terminal, not for a file") end
    if not o.file:lower():find "%.svg$" then
      refuse(WHAT, ("the file's name must end in .svg, got %s"):format(errors.text(o.file)))
    end
    local width, height = pixels(o, "width", WIDTH), pixels(o, "height", HEIGHT)
    local text = require("cudalua.look.svg").text(prepared(list, o), width, height)
    whole.write(WHAT, o.file, function(write) write(text) end)
    return
  end
  local to = terminal.open(WHAT, o)
  require("cudalua.look.canvas").draw(prepared(list, o), to)
end

return require("cudalua.base.surplus").install("cuda.", M)
