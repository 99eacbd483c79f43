-- Chromium without a window, through its debugging protocol. CUDALUA_CHROMIUM says where it is, else it is looked for
-- on PATH.
local plain_json = require "spec.support.plain_json"
local talker = require "spec.support.talker"

local M = {}

local SECONDS = 300 -- the longest that a browser runs

local function found()
  local said = os.getenv "CUDALUA_CHROMIUM"
  if said and said ~= "" then return said end
  local pipe = assert(io.popen "command -v chromium || command -v chromium-browser || command -v google-chrome")
  local path = pipe:read "*l"
  pipe:close()
  return path
end

---The browser's path, or nil.
M.path = found()

local Browser = {}
Browser.__index = Browser

-- A message ends with a zero byte.
function Browser:receive()
  local bytes = {}
  while true do
    local byte = assert(self.pipe.read(1), "the browser ended")
    if byte == "\0" then return plain_json.decode(table.concat(bytes)) end
    bytes[#bytes + 1] = byte
  end
end

---Calls a method of the protocol; what it answers. Events in the meantime are kept.
function Browser:call(method, params)
  self.id = self.id + 1
  self.pipe.write(plain_json.encode { id = self.id, method = method, params = params or {}, sessionId = self.session }
    .. "\0")
  while true do
    local message = self:receive()
    if message.id == self.id then
      if message.error then error(method .. ": " .. tostring(message.error.message), 2) end
      return message.result
    end
    self.events[#self.events + 1] = message
  end
end

---The events of that name since the last call.
function Browser:take(name)
  local list, rest = {}, {}
  for _, event in ipairs(self.events) do table.insert(event.method == name and list or rest, event) end
  self.events = rest
  return list
end

---Opens an address, and waits until it is loaded.
function Browser:open(url)
  self:call("Page.navigate", { url = "about:blank" }) -- or another place of the same page would not load it anew
  self:evaluate "0"
  self:take "Page.loadEventFired"
  self:call("Page.navigate", { url = url })
  local deadline = os.time() + 30
  while not self:take("Page.loadEventFired")[1] do
    assert(os.time() <= deadline, "not loaded: " .. url)
    self:evaluate "0"
  end
end

---The value of an expression of the page, or of the promise that it is.
function Browser:evaluate(expression)
  local answer = self:call("Runtime.evaluate", { expression = expression, returnByValue = true, awaitPromise = true })
  if answer.exceptionDetails then
    error(answer.exceptionDetails.exception and answer.exceptionDetails.exception.description or "the page raised", 2)
  end
  return answer.result.value
end

---The width of the window, and whether it is dark.
function Browser:resize(width, height, dark)
  self:call("Emulation.setDeviceMetricsOverride", { width = width, height = height, deviceScaleFactor = 1,
    mobile = width < 600 })
  self:call("Emulation.setEmulatedMedia", { features = { { name = "prefers-color-scheme",
    value = dark and "dark" or "light" } } })
end

---Writes what the window shows into a PNG file.
function Browser:picture(path)
  local answer = self:call("Page.captureScreenshot", { format = "png" })
  local pipe = assert(io.popen(("base64 -d >'%s'"):format(path), "w"))
  pipe:write(answer.data)
  pipe:close()
end

function Browser:close()
  self.session = nil
  pcall(self.call, self, "Browser.close")
  self.pipe.stop()
end

---@param scratch string  a folder for its profile
function M.start(scratch)
  local command = ("%s --headless=new --no-sandbox --disable-gpu --no-first-run --disable-background-networking "
    .. "--disable-extensions --disable-dev-shm-usage --user-data-dir='%s/profile' --remote-debugging-pipe about:blank")
    :format(M.path, scratch)
  local pipe = talker.start(("sh -c \"exec %s 3<%%s 4>&1 >/dev/null\""):format(command), SECONDS)
  local browser = setmetatable({ pipe = pipe, id = 0, events = {} }, Browser)
  local target
  for _, one in ipairs(browser:call("Target.getTargets").targetInfos) do
    if one.type == "page" then target = one.targetId end
  end
  target = target or browser:call("Target.createTarget", { url = "about:blank" }).targetId
  browser.session = browser:call("Target.attachToTarget", { targetId = target, flatten = true }).sessionId
  browser:call "Page.enable"
  browser:call "Network.enable"
  return browser
end

return M
