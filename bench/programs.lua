-- Twelve programs, as users write them, and three pieces of others: bench/programs/, whose texts are frozen. Each runs
-- in a process of its own on a small size: its results are compared with loops on the host, and its launches counted.
--   ./dev bench programs
local main = dofile "bench/programs/main.lua"

print "| program | launches, results together | one after the other | kernels compiled | elements compared |"
print "| --- | --- | --- | --- | --- |"
for _, list in ipairs { main.names, main.pieces } do
  for _, name in ipairs(list) do
    local pipe = io.popen(("%s bench/programs/%s.lua 2>&1"):format(arg[-1] or "luajit", name))
    local text = pipe:read "*a"
    io.write(text)
    assert(text:find "^| ", name .. " failed")
    pipe:close()
  end
end
