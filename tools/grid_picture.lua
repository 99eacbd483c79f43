-- The picture of grid, block and thread in docs/first-steps.md: three blocks of four threads for ten elements.
-- ./dev generate writes it to docs/pictures/grid.svg. It has a background of its own, so it reads the same on a light
-- and on a dark page.
local M = {}

local THREADS, BLOCKS, ELEMENTS = 4, 3, 10
local CELL, GAP, LEFT, WIDTH = 46, 34, 66, 760
local INK, FAINT, PAPER = "#1f2933", "#52606d", "#f7f9fb"
local FILLS = { "#cfe3fb", "#cdeccf", "#fbe3c0" } -- one for each block

-- The left edge of a thread, counted over all blocks from 0.
local function x_of(i) return LEFT + i * CELL + math.floor(i / THREADS) * GAP end

---The lines of the file.
---@return string[]
function M.lines()
  local out = {}
  local function add(format, ...) out[#out + 1] = format:format(...) end
  local function text(x, y, words, options)
    options = options or {}
    add('<text x="%g" y="%g" font-size="%d" text-anchor="%s" fill="%s"%s>%s</text>', x, y, options.size or 15,
      options.anchor or "middle", options.fill or INK, options.code and ' font-family="monospace"' or "", words)
  end
  local function box(x, y, width, height, fill, stroke, more)
    add('<rect x="%g" y="%g" width="%g" height="%g" rx="6" fill="%s" stroke="%s"%s/>', x, y, width, height, fill,
      stroke, more or "")
  end

  local right = x_of(BLOCKS * THREADS - 1) + CELL
  add('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d 350" width="%d" height="350" ' ..
    'font-family="sans-serif" role="img">', WIDTH, WIDTH)
  add("<title>Three blocks of four threads compute the ten elements of an array; two threads have none</title>")
  box(0.5, 0.5, WIDTH - 1, 349, PAPER, "#cbd2d9")

  text(LEFT - 20, 34, "grid of 3 blocks", { anchor = "start", size = 17 })
  text(right + 20, 34, "gridDim.x = 3, blockDim.x = 4", { anchor = "end", code = true })
  box(LEFT - 20, 46, right - LEFT + 40, 114, "#ffffff", FAINT)
  for block = 0, BLOCKS - 1 do
    local left = x_of(block * THREADS)
    box(left - 9, 56, THREADS * CELL + 18, 94, FILLS[block + 1], FAINT)
    text(left + THREADS * CELL / 2, 80, ("blockIdx.x = %d"):format(block), { code = true })
  end
  for i = 0, BLOCKS * THREADS - 1 do
    local x, works = x_of(i), i < ELEMENTS
    box(x + 3, 94, CELL - 6, 40, "#ffffff", works and INK or FAINT, works and "" or ' stroke-dasharray="4 3"')
    text(x + CELL / 2, 120, i % THREADS, { size = 17, fill = works and INK or FAINT, code = true })
    if works then
      add('<path d="M%g 138 V202 m-5 -8 l5 8 l5 -8" fill="none" stroke="%s" stroke-width="1.5"/>', x + CELL / 2, FAINT)
      box(x + 3, 206, CELL - 6, 40, FILLS[math.floor(i / THREADS) + 1], INK)
      text(x + CELL / 2, 232, i, { size = 17, code = true })
    end
  end
  text(x_of(11), 222, "no element:", { size = 13, fill = FAINT })
  text(x_of(11), 240, "i &lt; n is false", { size = 13, fill = FAINT })

  text(LEFT - 20, 272, "array of n = 10 elements", { anchor = "start", size = 17 })
  text(LEFT - 20, 308, "i = blockIdx.x * blockDim.x + threadIdx.x", { anchor = "start", size = 17, code = true })
  text(LEFT - 20, 332, "A thread shows its threadIdx.x, an element its i. Thread 1 of block 2: i = 2 * 4 + 1 = 9.",
    { anchor = "start", fill = FAINT })
  add "</svg>"
  return out
end

return M
