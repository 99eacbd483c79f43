-- The commands of the prompt: words behind a colon in column 1 of a fresh prompt.
local M = {}

M.list = {}

M.list.quit = { about = "ends the prompt, as ^D does", run = function(prompt) return prompt.END end }

return M
