-- Plots as SVG 1.1 files, which stand alone: no scripts, no fonts or styles from elsewhere.

local scale = require "cudalua.look.scale"
local canvas = require "cudalua.look.canvas"

local floor = math.floor

local M = {}

local CHARACTER = 7 -- pixels, of a text's width
local GRID, INK = "#dddddd", "#333333"
local CELL = 0.25   -- pixels: points of a scatter that are nearer than that are one

-- Text as it stands in an XML document: also without the characters that XML does not have.
local escapes = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }

---@param text string
---@return string
function M.escaped(text)
  return (text:gsub("[%z\1-\8\11\12\14-\31]", "?"):gsub('[&<>"]', escapes))
end

-- A length in pixels: hundredths are enough.
local function px(x) return (("%.2f"):format(x):gsub("%.?0+$", "")) end

local function hex(c) return ("#%02x%02x%02x"):format(c[1], c[2], c[3]) end

---What a plot draws on: lines are gathered to paths.
---@class cudalua.look.Drawing
local Drawing = {}
Drawing.__index = Drawing

function Drawing:at(u, v) return self.left + u * self.width, self.top + (1 - v) * self.height end

function Drawing:flush()
  if #self.path > 0 then
    self.add(('<path d="%s" fill="none" stroke="%s" stroke-width="1.5" stroke-linejoin="round"/>'):format(
      table.concat(self.path), hex(self.colour(self.series))))
  end
  self.path, self.end_x, self.end_y, self.moved = {}, nil, nil, nil
end

-- Points in one column of pixels: only the first, the extremes and the last are drawn.
function Drawing:line(u0, v0, u1, v1, series)
  if series ~= self.series then
    self:flush()
    self.series = series
  end
  local x0, y0 = self:at(u0, v0)
  local x1, y1 = self:at(u1, v1)
  if self.end_x ~= x0 or self.end_y ~= y0 then
    self:pending_end()
    self.path[#self.path + 1] = ("M%s %s"):format(px(x0), px(y0))
    self.drawn_x, self.column = x0, nil
  end
  local column = floor(x1 * 2) -- half pixels
  if column ~= self.column then
    self:pending_end()
    self.column, self.low, self.high = column, y1, y1
    self.path[#self.path + 1] = ("L%s %s"):format(px(x1), px(y1))
  else
    self.low, self.high, self.moved = math.min(self.low, y1), math.max(self.high, y1), true
  end
  self.end_x, self.end_y = x1, y1
end

-- What a column of pixels has beside its first point.
function Drawing:pending_end()
  if not self.moved then return end
  local x = px(self.end_x)
  self.path[#self.path + 1] = ("L%s %sL%s %sL%s %s"):format(x, px(self.low), x, px(self.high), x, px(self.end_y))
  self.moved = nil
end

function Drawing:point(u, v, series)
  if not (u >= 0 and u <= 1 and v >= 0 and v <= 1) then return end
  local x, y = self:at(u, v)
  local key = (floor(x / CELL) * 65536 + floor(y / CELL)) * 64 + series % 64
  if self.seen[key] then return end
  self.seen[key] = true
  self.add(('<circle cx="%s" cy="%s" r="2.5" fill="%s" fill-opacity="0.8"/>'):format(px(x), px(y),
    hex(self.colour(series))))
end

function Drawing:rect(u0, v0, u1, v1, series)
  local x0, y0 = self:at(math.max(u0, 0), math.min(v1, 1))
  local x1, y1 = self:at(math.min(u1, 1), math.max(v0, 0))
  if x1 <= x0 or y1 <= y0 then return end
  self.add(('<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>'):format(px(x0), px(y0), px(x1 - x0),
    px(y1 - y0), hex(self.colour(series))))
end

-- What stands before a label of the legend, 14 pixels wide around y: a piece of a line, a point, a piece of a bar.
local function line_sign(x, y, fill)
  return ('<rect x="%s" y="%s" width="14" height="4" fill="%s"/>'):format(px(x), px(y - 2), fill)
end

local function point_sign(x, y, fill)
  return ('<circle cx="%s" cy="%s" r="3.5" fill="%s" fill-opacity="0.8"/>'):format(px(x + 7), px(y), fill)
end

local function bar_sign(x, y, fill)
  return ('<rect x="%s" y="%s" width="14" height="9" fill="%s"/>'):format(px(x), px(y - 4.5), fill)
end

local signs = { line = line_sign, scatter = point_sign, hist = bar_sign, bars = bar_sign }

---The text of an SVG file.
---@param plot cudalua.look.Plot
---@param width integer   pixels
---@param height integer
---@return string
function M.text(plot, width, height)
  local list = {}
  local function add(text) list[#list + 1] = text end
  local function text(x, y, anchor, words, more)
    add(('<text x="%s" y="%s" text-anchor="%s"%s>%s</text>'):format(px(x), px(y), anchor, more or "",
      M.escaped(words)))
  end
  local top = 12 + (plot.title and 24 or 0) + (plot.legend and 20 or 0)
  local below = 28 + (plot.xlabel and 20 or 0)
  local yticks = scale.ticks(plot.y, math.max(2, floor((height - top - below) / 45)))
  local left = 14 + (plot.ylabel and 20 or 0)
  local longest = 0
  for _, tick in ipairs(yticks) do longest = math.max(longest, canvas.width(tick.text)) end
  left = left + longest * CHARACTER
  local w, h = math.max(width - left - 16, 10), math.max(height - top - below, 10)
  local xticks = plot.names or scale.ticks(plot.x, math.max(2, floor(w / 80)))

  add(('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" '):format(width, height,
    width, height) .. 'font-family="sans-serif" font-size="12" fill="' .. INK .. '">')
  if plot.title then add(("<title>%s</title>"):format(M.escaped(plot.title))) end
  add(('<rect width="%d" height="%d" fill="#ffffff"/>'):format(width, height))
  for _, tick in ipairs(yticks) do
    local y = top + (1 - plot.y.place(tick.x)) * h
    add(('<path d="M%s %sH%s" stroke="%s"/>'):format(px(left), px(y), px(left + w), GRID))
    text(left - 6, y + 4, "end", tick.text)
  end
  local free = -math.huge
  for _, tick in ipairs(xticks) do
    local x, half = left + plot.x.place(tick.x) * w, canvas.width(tick.text) * CHARACTER / 2
    add(('<path d="M%s %sV%s" stroke="%s"/>'):format(px(x), px(top), px(top + h), GRID))
    if x - half > free then
      text(x, top + h + 18, "middle", tick.text)
      free = x + half + 4
    end
  end
  local drawing = setmetatable({ left = left, top = top, width = w, height = h, path = {}, seen = {}, add = add,
    colour = plot.colour }, Drawing)
  plot.draw(drawing)
  drawing:pending_end()
  drawing:flush()
  add(('<path d="M%s %sV%sH%s" fill="none" stroke="%s"/>'):format(px(left), px(top), px(top + h), px(left + w), INK))
  if plot.title then text(left + w / 2, 24, "middle", plot.title, ' font-size="15"') end
  if plot.legend then
    local x = left
    for i, s in ipairs(plot.series) do
      if s.label then
        add(signs[s.kind](x, top - 11, hex(plot.colour(i))))
        text(x + 19, top - 7, "start", s.label)
        x = x + 34 + canvas.width(s.label) * CHARACTER
      end
    end
  end
  if plot.xlabel then text(left + w / 2, height - 8, "middle", plot.xlabel) end
  if plot.ylabel then
    local y = top + h / 2
    text(16, y, "middle", plot.ylabel, (' transform="rotate(-90 16 %s)"'):format(px(y)))
  end
  add "</svg>\n"
  return table.concat(list, "\n")
end

return M
