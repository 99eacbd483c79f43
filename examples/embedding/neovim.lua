-- Neovim: notices go to vim.notify instead of stderr, which is the screen that Neovim draws.
--     nvim --headless -u NONE -c "luafile examples/embedding/neovim.lua"
local cuda = require "cudalua"

local seen = {}
if #vim.api.nvim_list_uis() == 0 then -- without a screen the program looks at them itself
  vim.notify = function(text) seen[#seen + 1] = text end
end
cuda.on_notice = vim.schedule_wrap(function(text) vim.notify("cudalua: " .. text, vim.log.levels.WARN) end)

local function main()
  cuda.compiler.compile("__global__ void f(int *a) { int unused = 1; *a = 2; }", { cache_dir = false })
  assert(vim.wait(1000, function() return #seen > 0 end), "the compiler's warning did not arrive")
  assert(seen[1]:find("unused", 1, true), seen[1])
  local sum = cuda.gpuarray.arange(5):sum():get()
  assert(tonumber(tostring(sum)) == 10, tostring(sum))
end

local ok, err = pcall(cuda.text_errors(main))
io.stdout:write(ok and "neovim: the notice went to vim.notify\n" or "neovim: " .. tostring(err) .. "\n")
vim.cmd(ok and "qall!" or "cquit")
