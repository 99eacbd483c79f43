-- lua-language-server, as an editor talks to it. CUDALUA_LLS says where it is, else it is looked for on PATH.
local plain_json = require "spec.support.plain_json"
local talker = require "spec.support.talker"

local M = {}

local SECONDS = 300 -- the longest that a server runs

local function found()
  local said = os.getenv "CUDALUA_LLS"
  if said and said ~= "" then return said end
  local pipe = assert(io.popen "command -v lua-language-server")
  local path = pipe:read "*l"
  pipe:close()
  return path
end

---The server's path, or nil.
M.path = found()

local function command(folder) return ("%s --logpath=%s/log --metapath=%s/meta"):format(M.path, folder, folder) end

---Its warnings about the files of a folder, "file.lua:12: undefined-field: ..." each.
---@param folder string  with a .luarc.json
---@param scratch string  a folder for its logs
---@return string[]
function M.check(folder, scratch)
  local out = scratch .. "/check.json"
  os.execute(("unset LD_PRELOAD; timeout %d %s --check=%s --checklevel=Warning --check_format=json --check_out_path=%s "
    .. ">/dev/null 2>&1"):format(SECONDS, command(scratch), folder, out))
  local file = assert(io.open(out), "the server wrote no result")
  local list = {}
  for uri, problems in pairs(plain_json.decode(file:read "*a")) do
    for _, problem in ipairs(problems) do
      list[#list + 1] = ("%s:%d: %s: %s"):format(uri:match "[^/]*$", problem.range.start.line + 1, problem.code,
        problem.message)
    end
  end
  file:close()
  table.sort(list)
  return list
end

local Server = {}
Server.__index = Server

function Server:send(message)
  message.jsonrpc = "2.0"
  local text = plain_json.encode(message)
  self.pipe.write(("Content-Length: %d\r\n\r\n%s"):format(#text, text))
end

function Server:receive()
  local length
  repeat
    local line = assert(self.pipe.read "*l", "the server ended")
    length = tonumber(line:match "^Content%-Length: (%d+)") or length
  until line == "\r"
  return plain_json.decode(self.pipe.read(length))
end

---Asks, and waits for the answer; what the server asks in the meantime, its settings, it is told.
function Server:ask(method, params)
  self.id = self.id + 1
  self:send { id = self.id, method = method, params = params }
  while true do
    local message = self:receive()
    if message.method and message.id then
      local result = { array = true }
      for i, item in ipairs(message.params and message.params.items or {}) do
        result[i] = item.section == "Lua" and self.settings or plain_json.null
      end
      self:send { id = message.id, result = message.method == "workspace/configuration" and result or plain_json.null }
    elseif message.id == self.id then
      return message.result, message.error
    end
  end
end

---Opens a text as a file of the workspace, and waits until the server has read everything.
function Server:open(name, text)
  local uri = ("file://%s/%s"):format(self.folder, name)
  self.lines = {}
  for line in (text .. "\n"):gmatch "(.-)\n" do self.lines[#self.lines + 1] = line end
  self:send { method = "textDocument/didOpen",
    params = { textDocument = { uri = uri, languageId = "lua", version = 1, text = text } } }
  self.uri = uri
  repeat
    local hover = self:hover(1, "cuda")
    local loading = not hover or hover:find "loading"
    if loading then os.execute "sleep 0.1" end
  until not loading
end

function Server:at(method, line, column)
  return (self:ask("textDocument/" .. method,
    { textDocument = { uri = self.uri }, position = { line = line - 1, character = column } }))
end

---What the server says of a word on a line, counted from 1.
function Server:hover(line, word)
  local result = self:at("hover", line, self.lines[line]:find(word, 1, true))
  return result and result.contents and result.contents.value
end

---What it would complete behind a text on a line: a set of names, without their parameters.
function Server:completions(line, text)
  local _, last = self.lines[line]:find(text, 1, true)
  local result = self:at("completion", line, last)
  local set = {}
  for _, item in ipairs(result and result.items or {}) do set[item.label:match "^[%w_]+" or item.label] = true end
  return set
end

function Server:close()
  self:ask "shutdown"
  self:send { method = "exit" }
  self.pipe.stop()
end

---Starts a server for a folder.
---@param folder string
---@param settings table  those of Lua, as nested tables
---@param scratch string  a folder for its logs
function M.start(folder, settings, scratch)
  local server = setmetatable({ pipe = talker.start(command(scratch) .. " <%s", SECONDS), settings = settings, id = 0,
    folder = folder }, Server)
  server:ask("initialize", { processId = plain_json.null, rootUri = "file://" .. folder,
    workspaceFolders = { { uri = "file://" .. folder, name = "program" } },
    capabilities = { workspace = { configuration = true } } })
  server:send { method = "initialized", params = {} }
  return server
end

return M
