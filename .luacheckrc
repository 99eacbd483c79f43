std = "luajit"
max_line_length = 120
codes = true
files["spec"].std = "+busted"
exclude_files = { "spec/data/golden" } -- written by a program
files["lua"] = { not_globals = { "next", "pairs" } } -- see lua/cudalua/base/pairs_of.lua
files["lua/cudalua/help/index.lua"] = { max_line_length = false } -- written by a program, one line for each tag
files["docs/meta"].ignore = { "111", "112", "113", "211", "212", "241" } -- declarations for the annotations alone
files["examples/embedding/love"].globals = { "love" }
files["examples/embedding/neovim.lua"].globals = { "vim" }
files["tools/embedding/neovim.lua"].globals = { "vim" }
