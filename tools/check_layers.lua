-- Checks that the files of the tree use their own layer and those below it (tools/layers.lua), and nothing above.
--   luajit tools/check_layers.lua [BUILD]   prints what is wrong, and how many lines each layer has; with a build
--                                           folder, C is checked too: an undefined symbol of an object is an edge to
--                                           the object that defines it
-- Run from the project's root. A layer is found by the place of a file. In Lua, every name of a module of ours counts,
-- wherever it stands: in a require at the top, in a function, or in any other string.
local M = {}

local function lines_of(command)
  local pipe = assert(io.popen(command))
  local list = {}
  for line in pipe:lines() do list[#list + 1] = line end
  pipe:close()
  return list
end

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

-- ---- Lua ------------------------------------------------------------------------------------------------------------

-- The source without its comments. Strings stay.
local function without_comments(text)
  local out, at, look = {}, 1, 1
  while true do
    local first = text:find("[-\"'[]", look)
    if not first then break end
    local mark = text:sub(first, first)
    local equals = text:match("^%[(=*)%[", first)
    if text:sub(first, first + 1) == "--" then
      equals = text:match("^%[(=*)%[", first + 2)
      out[#out + 1] = text:sub(at, first - 1)
      local stop = equals and select(2, text:find("]" .. equals .. "]", first, true))
      at = stop and stop + 1 or text:find("\n", first, true) or #text + 1
      look = at
    elseif equals then
      look = (select(2, text:find("]" .. equals .. "]", first, true)) or #text) + 1
    elseif mark == "-" or mark == "[" then
      look = first + 1
    else
      look = first + 1
      while look <= #text and text:sub(look, look) ~= mark and text:sub(look, look) ~= "\n" do
        look = look + (text:sub(look, look) == "\\" and 2 or 1)
      end
      look = look + 1
    end
  end
  out[#out + 1] = text:sub(at)
  return table.concat(out)
end

---The files below a root, with what each of them uses: path -> { path of the other file = how often }.
---@param root string  "lua/cudalua/": the last folder begins the names of modules
---@return table<string, table<string, integer>>
function M.lua_edges(root)
  local files, by_module, prefix = {}, {}, root:match "([%w_]+)/$"
  for _, path in ipairs(lines_of(("find %s -name '*.lua' | sort"):format(root))) do
    local name = path:sub(#root + 1)
    files[name] = {}
    by_module[prefix .. "." .. name:gsub("%.lua$", ""):gsub("/", ".")] = name
  end
  by_module[prefix] = "init.lua"
  for name, uses in pairs(files) do
    local text = without_comments(read(root .. name))
    -- require("cudalua.gpuarray." .. part): any string of the file may be a part.
    for head in text:gmatch "require%s*%(%s*[\"'](cudalua[%w_%.]*%.)[\"']%s*%.%." do
      for part in text:gmatch "[\"']([%w_%.]+)[\"']" do
        local other = by_module[head .. part]
        if other and other ~= name then uses[other] = (uses[other] or 0) + 1 end
      end
    end
    for module in text:gmatch "[\"']([%w_%.]+)[\"']" do
      local other = by_module[module]
      if other and other ~= name and M.is_use(text, module) then uses[other] = (uses[other] or 0) + 1 end
    end
  end
  return files
end

-- Names of classes are not uses: what getmetatable() says of an array is "cudalua.gpuarray", as the module is called.
function M.is_use(text, module)
  local quoted = "[\"']" .. module:gsub("%.", "%%.") .. "[\"']"
  return text:find("require%s*%(?%s*" .. quoted) ~= nil or text:find("package%.loaded%s*%[%s*" .. quoted) ~= nil
end

-- ---- C --------------------------------------------------------------------------------------------------------------

---The same for C: edges from the symbols of a build's objects, and from includes that name a file from the root.
---@param root string   "src/cudalua/"
---@param build string  folder
---@return table<string, table<string, integer>>
function M.c_edges(root, build)
  local files, owner, wanted = {}, {}, {}
  for _, path in ipairs(lines_of(("find %s -name '*.[ch]' | sort"):format(root))) do files[path:sub(#root + 1)] = {} end
  for name, uses in pairs(files) do
    for other in read(root .. name):gmatch '#include "([^"\n]+)"' do
      if files[other] and other ~= name then uses[other] = (uses[other] or 0) + 1 end
    end
  end
  local object
  local folder = root:gsub("/$", "")
  local symbols = ("find %s/%s -name '*.c.o' | sort | xargs nm -A 2>/dev/null"):format(build, folder)
  for _, line in ipairs(lines_of(symbols)) do
    local path, kind, symbol = line:match "^(.-):%s*%x*%s+(%a) (%S+)$"
    object = path and path:match "([^/]+)%.c%.o$"
    -- Meson writes the folders into the name: base_args.c.o.
    local name = object and (files[object .. ".c"] and object .. ".c" or M.source_of(files, object))
    if name and kind == "U" then
      wanted[#wanted + 1] = { name, symbol }
    elseif name and kind:find "[TDBRVWC]" then
      owner[symbol] = owner[symbol] or name
    end
  end
  for _, w in ipairs(wanted) do
    local other = owner[w[2]]
    if other and other ~= w[1] then files[w[1]][other] = (files[w[1]][other] or 0) + 1 end
  end
  return files
end

-- The source of an object: base_args stands for base/args.c.
function M.source_of(files, object)
  for name in pairs(files) do
    if name:gsub("/", "_") == object .. ".c" then return name end
  end
end

---The lines of a text that are neither blank nor comments.
---@param text string
---@param is_lua boolean  else C
---@return integer
function M.lines_of_code(text, is_lua)
  local n = 0
  text = is_lua and without_comments(text) or text:gsub("/%*.-%*/", ""):gsub("//[^\n]*", "")
  for line in text:gmatch "[^\n]+" do
    if line:find "%S" then n = n + 1 end
  end
  return n
end

-- ---- layers ---------------------------------------------------------------------------------------------------------

---The layer of a file.
---@param tree table   a row of tools/layers.lua
---@param name string  path below its root
---@return integer? number  from the lowest; nil: none has it
---@return string? name
function M.layer_of(tree, name)
  local best, length, number
  for i, layer in ipairs(tree.layers) do
    for k = 2, #layer do
      local place = layer[k]
      local inside = place:sub(-1) == "/" and name:sub(1, #place) == place or name == place
      if inside and #place > (length or 0) then best, length, number = layer[1], #place, i end
    end
  end
  return number, best
end

-- The files that reach each other, as lists: Tarjan's strongly connected components.
local function circles(files)
  local index, low, on, stack, count, list = {}, {}, {}, {}, 0, {}
  local function visit(name)
    count = count + 1
    index[name], low[name], on[name] = count, count, true
    stack[#stack + 1] = name
    for other in pairs(files[name]) do
      if not index[other] then
        visit(other)
        low[name] = math.min(low[name], low[other])
      elseif on[other] then
        low[name] = math.min(low[name], index[other])
      end
    end
    if low[name] == index[name] then
      local circle = {}
      repeat
        local other = table.remove(stack)
        on[other], circle[#circle + 1] = false, other
      until other == name
      if #circle > 1 then list[#list + 1] = circle end
    end
  end
  for name in pairs(files) do
    if not index[name] then visit(name) end
  end
  return list
end

-- Edges that go up by an exception can close a circle over several layers, which is worse than the edge.
local function check_circles(tree, files, problems)
  for _, circle in ipairs(circles(files)) do
    table.sort(circle)
    local first = M.layer_of(tree, circle[1])
    for _, name in ipairs(circle) do
      if M.layer_of(tree, name) ~= first then
        local text = "%s: a circle of %d files over several layers, among them %s and %s"
        problems[#problems + 1] = text:format(tree.root, #circle, circle[1], name)
        break
      end
    end
  end
end

-- Names that only one file may use, in code or in strings.
local function check_names(tree, files, problems)
  for word, owner in pairs(tree.only or {}) do
    for name in pairs(files) do
      if name ~= owner and without_comments(read(tree.root .. name)):find("%f[%w_]" .. word .. "%f[^%w_]") then
        problems[#problems + 1] = ("%s%s uses %s: only %s may"):format(tree.root, name, word, owner)
      end
    end
  end
end

local function check_tree(tree, files, problems)
  local lines, used, unneeded = {}, {}, {}
  for _, e in ipairs(tree.exceptions) do
    if type(e[3]) ~= "string" then
      problems[#problems + 1] = ("%s -> %s: an exception without a reason"):format(e[1], e[2])
    end
    unneeded[e[1] .. " -> " .. e[2]] = true
  end
  local names = {}
  for name in pairs(files) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    local number, layer = M.layer_of(tree, name)
    if not number then
      problems[#problems + 1] = ("%s%s: no layer of tools/layers.lua has it"):format(tree.root, name)
    else
      local is_written = not (tree.generated and tree.generated[name])
      lines[layer] = (lines[layer] or 0) +
        (is_written and M.lines_of_code(read(tree.root .. name), name:find "%.lua$" ~= nil) or 0)
      used[number] = true
      local others = {}
      for other in pairs(files[name]) do others[#others + 1] = other end
      table.sort(others)
      for _, other in ipairs(others) do
        local above, its = M.layer_of(tree, other)
        local edge = name .. " -> " .. other
        if above and above > number then
          if unneeded[edge] == nil then
            problems[#problems + 1] = ("%s%s uses %s: layer %s is above %s"):format(tree.root, name, other, its, layer)
          end
          unneeded[edge] = nil
        end
      end
    end
  end
  check_circles(tree, files, problems)
  check_names(tree, files, problems)
  for i, layer in ipairs(tree.layers) do
    if not used[i] then problems[#problems + 1] = ("%s: the layer %s has no files"):format(tree.root, layer[1]) end
  end
  for edge in pairs(unneeded) do
    problems[#problems + 1] = ("%s: the exception %s is not needed: take it off the list"):format(tree.root, edge)
  end
  return lines
end

---What is wrong, and the lines of code by layer.
---@param trees table    as tools/layers.lua
---@param build? string  folder of a build; without it, trees of C are left out
---@return string[] problems
---@return string[] report
function M.check(trees, build)
  local problems, report = {}, {}
  for _, tree in ipairs(trees) do
    local is_lua = tree.root:find "%f[%w]lua/"
    if is_lua or build then
      local files = is_lua and M.lua_edges(tree.root) or M.c_edges(tree.root, build)
      local lines, sum = check_tree(tree, files, problems), 0
      local parts = {}
      for _, layer in ipairs(tree.layers) do
        sum = sum + (lines[layer[1]] or 0)
        parts[#parts + 1] = ("%s %d"):format(layer[1], lines[layer[1]] or 0)
      end
      report[#report + 1] = ("%s %d lines of code, %d exceptions: %s"):format(tree.root, sum, #tree.exceptions,
        table.concat(parts, ", "))
      if tree.budget and sum > tree.budget then
        problems[#problems + 1] = ("%s has %d lines of code; its budget is %d"):format(tree.root, sum, tree.budget)
      end
    end
  end
  return problems, report
end

if arg and arg[0] and arg[0]:match "check_layers%.lua$" then
  local problems, report = M.check(dofile "tools/layers.lua", arg[1])
  for _, line in ipairs(report) do print(line) end
  for _, problem in ipairs(problems) do print(problem) end
  os.exit(#problems == 0)
end

return M
