-- What has a page of the manual rather than an entry: help "index" names the page, besides entries of that name.

local ipairs, gmatch = ipairs, string.gmatch

local topics = {}
for _, row in ipairs {
  { "index indexes indices indexing subscript slicing slices", "Indices are described in docs/arrays.md, section " ..
    "Positions: a[2] and a[{ 2, 3 }] are elements, a[{ {}, 1 }] is the first column. They start at 1." },
  { "range ranges", "Ranges of an index are described in docs/arrays.md, section Positions: a[{ { 1, 3 } }] has the " ..
    "elements 1 to 3. Ranges of numbers are gpuarray.arange(start, stop, step)." },
  { "row rows column columns", "Rows are a[i], columns a[{ {}, i }], see docs/arrays.md, section Positions. " ..
    "a:sum(2) adds each row, a:sum(1) each column, see docs/reductions.md." },
  { "broadcast broadcasting", "Broadcasting is described in docs/arrays.md, section Operators and functions." },
} do
  for word in gmatch(row[1], "%S+") do topics[word] = row[2] end
end

---@type table<string, string>  word -> sentences
return topics
