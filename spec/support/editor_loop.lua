-- A loop around the prompt's editor, for specs on a pseudo-terminal: shows each text that was read.
local ffi = require "ffi"
local editing = require "spec.support.editing"
local editor = require "cudalua.prompt.editor"

-- Between two texts the terminal is not raw, and a Ctrl-C is a SIGINT. The prompt catches it around each chunk; this
-- loop, whose chunks end by themselves, ignores it.
ffi.cdef "void (*signal(int number, void (*handler)(int)))(int)"
local SIGINT, SIG_IGN = 2, ffi.cast("void (*)(int)", 1)
ffi.C.signal(SIGINT, SIG_IGN)

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
