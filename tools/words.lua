-- Sentences of at most 30 words and none of the phrases that read as translated: in messages, README.md, docs/*.md and
-- annotations.
--   luajit tools/words.lua              fails for places that are worse than tools/words_later.lua says, and names them
--   luajit tools/words.lua FILE...      shows what is wrong in these files, those of words_later.lua, too
--   luajit tools/words.lua --later      writes tools/words_later.lua as the tree is now
-- Run from the project's root, as ./dev lint words does.
package.path = "./?.lua;" .. package.path
local messages = require "tools.messages"

local MAX_WORDS = 30
local LATER = "tools/words_later.lua"

-- Lua patterns, matched in lower case, and what to write.
local BANNED = {
  { "there is no [%a%-]+ that", "negate the verb" },
  { "there are no [%a%-]+ that", "negate the verb" },
  { "that there is", "leave it out" },
  { "that there are", "leave it out" },
  { "such as have", "those that have" },
  { "in the place of", "instead of" },
  { "%f[%a]is got%f[%A]", "name the action: get it" },
  { "%f[%a]are got%f[%A]", "name the action: get them" },
  { "cannot be had", "is not available, or the action" },
  { "whole number from", "a non-negative integer" },
  { "of which", "split the sentence" },
  { "%f[%a]shall%f[%A]", "must, will, or the plain verb" },
  { "%f[%a]it is that", "name the subject" },
  { "%f[%a]nobody%f[%A]", "name who or what" },
  { "%f[%a]somebody%f[%A]", "name who or what" },
  { "is not one for", "is not supported" },
  { "one behind the other", "contiguous, or one after the other" },
  { "%f[%a]makes one of it", "convert it with" },
  { "asked for", "requested" },
  { "belongs? into%f[%A]", "belongs in" },
  { "%f[%a]anew%f[%A]", "again" },
  { "in no order", "not ordered" },
  { "is given twice", "appears twice, is passed twice" },
  { "inside of%f[%A]", "inside" },
  { "outside of%f[%A]", "outside" },
  { "a method is called with a colon", "call the method with a colon" },
}

-- "is no multiple", but not "is no longer".
local IS_NO = "%f[%a]is no (%a+)"
local AFTER_NO = { longer = true, more = true, less = true, better = true, worse = true, slower = true, faster = true,
  different = true, larger = true, smaller = true, need = true }

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

local function lines_of(text) return (text .. "\n"):gmatch "([^\n]*)\n" end

-- Complaints about one piece of prose; in_message: a semicolon, a colon and a line's end separate what is said.
local function judge(text, found, where, in_message)
  text = text:gsub("``.-``", "Code"):gsub("`[^`]*`", "Code"):gsub("%[([^%]]*)%]%([^%)]*%)", "%1")
  local lower = text:lower()
  for _, rule in ipairs(BANNED) do
    local phrase = lower:match(rule[1])
    if phrase then found[#found + 1] = ("%s: '%s': %s"):format(where, phrase, rule[2]) end
  end
  for word in lower:gsub("there is no", "there's no"):gmatch(IS_NO) do
    if not AFTER_NO[word] then found[#found + 1] = ("%s: 'is no %s': is not a %s"):format(where, word, word) end
  end
  text = text:gsub("([%.%?!]['\")%*]*)%s+(['\"(%*]*[%u%d])", "%1\n%2")
  text = text:gsub("%. cudalua ", ".\ncudalua ")
  if in_message then text = text:gsub("[;:]%s", "\n"):gsub("\\n", "\n") end
  for sentence in lines_of(text) do
    local n = select(2, sentence:gsub("%S*%w%S*", ""))
    if n > MAX_WORDS then
      found[#found + 1] = ("%s: %d words: %s ..."):format(where, n, sentence:match "^%s*(%S+%s+%S+%s+%S+%s+%S+)")
    end
  end
end

-- A page: paragraphs and items of lists, without code, tables, headings and comments.
local function page(path)
  local found, paragraph, start, fence, comment = {}, nil, nil, nil, false
  local function flush()
    if paragraph then judge(paragraph, found, ("%s:%d"):format(path, start)) end
    paragraph = nil
  end
  local number = 0
  for line in lines_of(read(path)) do
    number = number + 1
    local mark = line:match "^%s*(```+)" or line:match "^%s*(~~~+)"
    if fence then
      if mark and #mark >= #fence then fence = nil end
    elseif comment or line:find "^%s*<!%-%-" then
      comment = not line:find("-->", 1, true)
    elseif mark then
      flush()
      fence = mark
    elseif line:find "^%s*$" or line:find "^#" or line:find "^%s*|" or (not paragraph and line:find "^    ") then
      flush()
    else
      if line:find "^%s*[%-%*] " or line:find "^%s*%d+%. " or line:find "^%s*> " then flush() end
      if not paragraph then paragraph, start = "", number end
      paragraph = paragraph .. " " .. line:gsub("^%s*[%-%*>] ", ""):gsub("^%s*%d+%. ", "")
    end
  end
  flush()
  return found
end

-- The annotations of a Lua file: the text of each block, and what its tags say.
local function annotations(path)
  local found, text, start, number = {}, "", 0, 0
  local function flush()
    if text ~= "" then judge(text, found, ("%s:%d"):format(path, start)) end
    text = ""
  end
  for line in lines_of(read(path)) do
    number = number + 1
    local words = line:match "^%s*%-%-%-%s?(.*)$"
    if not words or words:find "^%s*$" or words:find "^    " or words:find "^|" then
      flush()
    elseif words:find "^@" then
      flush()
      text, start = words:match "^@%S+ .-%s%s+(.*)$" or words:match "^@raise%s+(.*)$" or "", number
    else
      if text == "" then start = number end
      text = text .. " " .. words
    end
  end
  flush()
  return found
end

local function files(command)
  local pipe, list = assert(io.popen(command)), {}
  for path in pipe:lines() do list[#list + 1] = path end
  pipe:close()
  return list
end

-- Complaints by file.
local function everything()
  local by_file = {}
  local function add(path, found)
    if #found == 0 then return end
    local list = by_file[path] or {}
    by_file[path] = list
    for _, one in ipairs(found) do list[#list + 1] = one end
  end
  for _, path in ipairs(files "ls README.md docs/*.md") do
    if not read(path):sub(1, 200):find("Written by", 1, true) then add(path, page(path)) end
  end
  for _, path in ipairs(files "find lua docs/meta -name '*.lua' ! -path '*/generated/*' ! -path '*/help/index.lua'") do
    add(path, annotations(path))
  end
  for _, one in ipairs(messages.all()) do
    local found = {}
    judge(one[2], found, one[1] .. ": message", true)
    add(one[1], found)
  end
  return by_file
end

local function sorted(t)
  local keys = {}
  for key in pairs(t) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

if not (arg and arg[0] and arg[0]:find "words%.lua$") then return { judge = judge } end -- a spec reads it

local by_file = everything()

if arg[1] == "--later" then
  local out = assert(io.open(LATER, "w"))
  out:write("-- Files with sentences that tools/words.lua does not accept yet, and how many complaints each has. ",
    "Numbers may only\n-- fall. After you mend some, `luajit tools/words.lua --later` writes the new ones; a file ",
    "without any must leave.\nreturn {\n")
  for _, path in ipairs(sorted(by_file)) do out:write(('  ["%s"] = %d,\n'):format(path, #by_file[path])) end
  out:write "}\n"
  out:close()
  os.exit(true)
end

if arg[1] then
  local bad = 0
  for _, path in ipairs(arg) do
    for _, one in ipairs(by_file[path] or {}) do
      print(one)
      bad = bad + 1
    end
  end
  os.exit(bad == 0)
end

local later, bad = dofile(LATER), 0
for _, path in ipairs(sorted(by_file)) do
  local allowed = later[path] or 0
  if #by_file[path] > allowed then
    bad = bad + 1
    print(("%s: %d complaints, at most %d are allowed"):format(path, #by_file[path], allowed))
    for _, one in ipairs(by_file[path]) do print("  " .. one) end
  end
end
for _, path in ipairs(sorted(later)) do
  if not by_file[path] then
    bad = bad + 1
    print(("%s passes: remove it from %s"):format(path, LATER))
  end
end
os.exit(bad == 0)
