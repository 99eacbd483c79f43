-- A loop around the prompt's editor, for specs on a pseudo-terminal: shows each text that was read.
local editing = require "spec.support.editing"
local editor = require "cudalua.prompt.editor"

local options = { complete_chunk = editing.complete_chunk, history = editing.history { "old" } }
print "ready"
while true do
  local text = editor.read("> ", ">> ", options)
  if not text then break end
  if text == "read" then
    print("read " .. tostring(io.read "*l"))
  elseif text == "sleep" then
    print "sleeps"
    os.execute "sleep 0.2"
  elseif text == "partial" then
    io.write "no newline"
  elseif text == "stty" then
    os.execute "stty -a | tr ' ' '\\n' | grep -E '^-?(icanon|isig|echo|opost);?$' | tr '\\n' ' '"
    print ""
  else
    print(("got %q"):format(text))
  end
end
print "ended"
