-- Run inside of Neovim on a pseudo-terminal, by neovim.py: makes a compiler's warning and a fault of the software
-- device. EMBEDDING_RESULT is the file that takes what arrived; EMBEDDING_NOTICES is "default" or "own".
local cuda = require "cudalua"
local seen = {}
if vim.env.EMBEDDING_NOTICES == "own" then
  cuda.on_notice = vim.schedule_wrap(function(text) seen[#seen + 1] = "notice: " .. text end)
end

local function main()
  cuda.compiler.compile("__global__ void f(int *a) { int unused = 1; *a = 2; }")
  local fill = cuda.kernel "__global__ void fill(int *a) { a[threadIdx.x] = 1; }"
  local memory = cuda.mem_alloc(4)
  local _, err = pcall(function()
    fill(memory, { block = 32 })
    cuda.Context.synchronize()
  end)
  seen[#seen + 1] = "error: " .. tostring(err)
  vim.wait(1000, function() return #seen > 1 end)
end

local _, err = pcall(main)
if err then seen[#seen + 1] = "failed: " .. tostring(err) end
vim.fn.writefile(vim.split(table.concat(seen, "\n"), "\n"), vim.env.EMBEDDING_RESULT)
vim.cmd "redraw | sleep 100m | qall!"
