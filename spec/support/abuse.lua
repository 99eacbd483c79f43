-- Sources that no one would write by hand: what spec/compiler/compiler_abuse_spec.lua feeds to the compiler.
local turn = require "spec.support.turn"

local M = {}

local rep = string.rep

---Nested n deep, each in another construct of the language: text by name.
---@param n integer
---@return table<string, string>
function M.nested(n)
  local function body(code) return "__global__ void k(int *p) { " .. code .. " }" end
  return {
    parentheses = body("*p = " .. rep("(", n) .. "1" .. rep(")", n) .. ";"),
    ["parentheses that are open"] = body("*p = " .. rep("(", n) .. "1;"),
    braces = body(rep("{", n) .. "*p = 1;" .. rep("}", n)),
    ["braces that are open"] = "__global__ void k(int *p) " .. rep("{", n),
    initializers = body("int a = " .. rep("{", n) .. "1" .. rep("}", n) .. ";"),
    negations = body("*p = " .. rep("!", n) .. "1;"),
    sums = body("*p = " .. rep("*p + ", n) .. "1;"),
    pointers = body("int " .. rep("*", n) .. "q; *p = 1;"),
    types = body(rep("decltype(", n) .. "1" .. rep(")", n) .. " x;"),
    conditions = rep("#if 1\n", n) .. body "*p = 1;" .. "\n" .. rep("#endif\n", n),
    ["a condition's parentheses"] = "#if " .. rep("(", n) .. "1" .. rep(")", n) .. "\n" .. body "*p = 1;" ..
      "\n#endif\n",
  }
end

---The same for constructs that cost the compiler more than linear time.
---@param n integer
---@return table<string, string>
function M.nested_slow(n)
  local function body(code) return "__global__ void k(int *p) { " .. code .. " }" end
  local macros = { "#define A0 1\n" }
  for i = 1, n do macros[i + 1] = ("#define A%d A%d + 1\n"):format(i, i - 1) end
  return {
    lambdas = body("auto f = " .. rep("[=]{ return ", n) .. "1" .. rep("; }", n) .. "; *p = 1;"),
    ["if"] = body(rep("if (*p) ", n) .. "*p = 1;"),
    ["else"] = body(rep("if (*p) ; else ", n) .. "*p = 1;"),
    choices = body("*p = " .. rep("*p ? 1 : ", n) .. "1;"),
    arrays = body("int a" .. rep("[1]", n) .. "; *p = 1;"),
    ["functions that return pointers to functions"] = body("int " .. rep("(*", n) .. "f" .. rep(")()", n) ..
      "; *p = 1;"),
    namespaces = rep("namespace a {", n) .. rep("}", n) .. "\n" .. body "*p = 1;",
    structs = rep("struct A {", n) .. "int i;" .. rep("};", n) .. "\n" .. body "*p = 1;",
    macros = table.concat(macros) .. body("*p = A" .. n .. ";"),
    ["calls of a macro"] = "#define F(x) (x)\n" .. body("*p = " .. rep("F(", n / 4) .. "1" .. rep(")", n / 4) .. ";"),
  }
end

---Bytes that are no CUDA C: text by name.
---@return table<string, string>
function M.garbage()
  local all = {}
  for i = 1, 255 do all[i] = string.char(i) end
  local list = {
    ["every byte"] = table.concat(all),
    ["an ELF header"] = "\127ELF\2\1\1" .. rep("\1", 57),
    ["PTX"] = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n",
    ["UTF-8 that is broken"] = "__global__ void \195(int *p) { \226\130 }",
    ["UTF-16, its zeros left out"] = "\255\254_ _ g l o b a l _ _",
    ["a form feed, a bell and an escape"] = "\12\7\27[31m __global__ void k() {}\n",
    ["Lua"] = "local x = [[ __global__ void k() {} ]]",
  }
  for _, b in ipairs(turn.share { 1, 9, 10, 13, 26, 32, 33, 34, 35, 39, 40, 41, 47, 59, 60, 64, 91, 92, 96, 123, 125,
    127, 255 }) do
    list[("the byte %d"):format(b)] = string.char(b)
    list[("the byte %d a thousand times"):format(b)] = rep(string.char(b), 1000)
  end
  for _, n in ipairs { 1, 10, 100, 1000, 100000 } do
    local bytes = {}
    for i = 1, n do bytes[i] = string.char(math.random(1, 255)) end
    list[("%d random bytes"):format(n)] = table.concat(bytes)
    for i = 1, n do bytes[i] = ("{}()[]<>;,#\"'/\\*&=+-_a1 \n\t"):sub(math.random(1, 27)):sub(1, 1) end
    list[("%d random characters"):format(n)] = table.concat(bytes)
  end
  return list
end

---A line that goes before or behind a kernel that is right.
M.lines = {
  "#line 0", "#line 4294967295", "#line 2147483648", "#line 99999999999999999999", "#line -1", "#line x", "#line",
  '#line 5 "/etc/passwd"', '#line 5 "a\\"b"', '#line 5 ""', '#line 5 "%s%n"', '#line 1 "' .. rep("n", 10000) .. '"',
  '# 7 "x.cu" 3 4', "#line 1.5", "#line __LINE__", '#line 3 "kernel.cu"', "#pragma once", "#pragma", "#pragma nope",
  "#error x", "#warning x", "#if", "#if 1/0", "#else", "#endif", "#elif 1", "#if 0", "#ifdef X", "#ifndef", "#include",
  "#include <", '#include "', "#include <>", "#include X", "#define", "#define defined", "#define __LINE__ 5",
  "#undef __CUDACC__", "#define __global__", "#define extern", "#define int float", "#define k j", "#define void",
  "#define __cudalua_sig", "#", "##", "#!/bin/sh", "%:define X 1", '_Pragma("once")', '_Pragma("', 'asm("bad ptx");',
  '__asm__("}");', 'static_assert(0, "no");', "import std;", "export module x;", "}", '} extern "C" {', "};", "} /*",
  "*/", "/*", "//\\", '"', "'", 'R"(', 'R"xxxxxxxxxxxxxxxxxxxxxxxxx(', "\\", "int main() { }", "__global__",
  "__global__ void", "__global__ void k2(", "__global__ int k2() {}", "__global__ static void s() {}",
  "__device__ int k(int);", "__global__ void k(float *q) {}", "template<class T> __global__ void k2(T) {}",
  'extern "C++" template<class T> __global__ void k2(T) {}', "struct S { __global__ void m() {} };",
  "__global__ void v(...) {}", "__global__ void r(int &x) {}", "__global__ void r(int &&x) {}",
  "__host__ __global__ void hg() {}", "namespace { __global__ void anonymous(int a) {} }",
  "__global__ void (*fp)(int);", "#include <string>", "#include <windows.h>", "#include <stdio.h>",
  "using namespace nope;", "typedef int k;", "enum { k };", "__device__ int __cudalua_sig;",
  "#pragma nv_mangled_name k", "#pragma GCC poison k", "__global__ void g() { __trap(); } __launch_bounds__(2000)",
  "__launch_bounds__(-1) __global__ void lb() {}",
}

---Options that nobody needs. Each a list.
M.options = {
  { "--gpu-architecture=compute_80", "--gpu-architecture=compute_90" }, { "-arch=sm_80" }, { "-arch", "sm_80" },
  { "--gpu-architecture=sm_99" }, { "--gpu-architecture=" }, { "--version" }, { "--help" }, { "-h" }, { "" }, { " " },
  { "-" }, { "--" }, { "---" }, { "-Wx" }, { "-D" }, { "-I" }, { "-U" }, { "-include" }, { "-o", "x" },
  { "--std=c++99" }, { "--std=c++11" }, { "--std=" }, { "@/etc/passwd" }, { "--options-file", "/etc/passwd" },
  { "-Iwith space" }, { '-DX="a b"' }, { "-D" .. rep("x", 1e6) }, { "-G" }, { "-G", "-lineinfo" }, { "-dlto" },
  { "-rdc=true" }, { "--ptxas-options=-v" }, { "--ptxas-options=--nope" }, { "-minimal" }, { "--fatbin" },
  { "file.cu" }, { "-E" }, { "-DA\n" }, { "-DA=1\nint x;" }, { "-D=1" }, { "-D1" }, { "-D(x" },
  { "-include", "nope.h" }, { "--pre-include=nope.h" }, { "--maxrregcount=-5" }, { "--maxrregcount=99999999999" },
  { "--maxrregcount=abc" }, { "--maxrregcount=0" }, { "-default-device" }, { "--diag-error=1234567" },
  { "--diag-suppress=all" }, { "--builtin-initializer-list=maybe" }, { "--optix-ir" }, { "\255\254" },
  { "--no-source-include" }, { "-I/dev/null" }, { "-I/nowhere" }, { "-I" .. rep("x", 5000) },
  { "--modify-stack-limit=true" }, { "-ewp" }, { "--disable-warnings", "-w" }, { "--jump-table-density=101" },
  { "-DTHE=1", "-UTHE", "-DTHE=2" }, { "--relocatable-device-code=perhaps" }, { "-Dint=float" }, { "-D__global__=" },
  { "-U__CUDACC__" }, { "%s%n" },
}

---Names that are no instance of the template t<T>, nor the kernel k.
M.name_expressions = {
  "", " ", "k<", "k<int", "k);}", "int; } __global__ void evil() {", "k\n#include <x>", "k<int>//", '"', "nope", "1",
  "t<nope>", "t<int>, t<float>", "t<int>)", "/*", "*/", "t<", "#error x", "t<(int)>", "\\", "\255", "decltype(k)",
  "sizeof(int)", "namespace x {}", "__nv_name_map", 'k; asm("x")', "t<void>", "t<int&>", "k()", "&&k", "new k",
  "t<" .. rep("t<", 2000), rep("k", 1e6), rep("(", 30000) .. "k" .. rep(")", 30000) .. "x",
}

return M
