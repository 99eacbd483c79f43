-- What generated kernels call types and arguments: types/c_names.lua and types/kernel_arguments.lua.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local dtype = require "cudalua.dtype"
local ndarray = require "cudalua.ndarray"
local tools = require "cudalua.tools"
local vec = require "cudalua.vec"

local pair = dtype.struct({ { "x", "float32" }, { "n", "int32" } }, { name = "spec_args_pair" })

describe("tools.dtype_to_ctype", function()
  before_each(gpu.context)

  it("gives a type of CUDA C for every dtype", function()
    local expected = {
      bool = "bool", int8 = "signed char", int16 = "short", int32 = "int", int64 = "long long",
      uint8 = "unsigned char", uint16 = "unsigned short", uint32 = "unsigned int", uint64 = "unsigned long long",
      float16 = "__half", bfloat16 = "__nv_bfloat16", float32 = "float", float64 = "double",
      complex64 = "cudalua::complex<float>", complex128 = "cudalua::complex<double>",
    }
    local lines = {}
    for i, dt in ipairs(dtype.list) do
      assert.equal(expected[dt.name], tools.dtype_to_ctype(dt))
      assert.equal(expected[dt.name], tools.dtype_to_ctype(dt.name))
      lines[i] = ("out[%d] = sizeof(%s);"):format(i - 1, expected[dt.name])
    end
    assert.equal("float4", tools.dtype_to_ctype(vec.float4))
    assert.equal("spec_args_pair", tools.dtype_to_ctype(pair))
    -- With what c_declarations() says, they compile, and have the size.
    local out = ndarray.zeros(#dtype.list, "int32")
    local source = tools.c_declarations(dtype.list) .. "extern \"C\" __global__ void sizes(int *out) {\n" ..
      table.concat(lines, "\n") .. "\n}"
    cuda.SourceModule(source, { no_extern_c = true }):get_function "sizes"(cuda.Out(out), { block = 1 })
    for i, dt in ipairs(dtype.list) do assert.equal(dt.itemsize, out[i], dt.name) end
  end)

  it("refuses what has no name in C", function()
    gpu.raises("LogicError", "tools.dtype_to_ctype: {float32 x} has no name in C; set one", tools.dtype_to_ctype,
      dtype.struct { { "x", "float32" } })
    gpu.raises("LogicError", "tools.dtype_to_ctype: unknown dtype 'foo'", tools.dtype_to_ctype, "foo")
    gpu.refuses_nonsense(tools.dtype_to_ctype)
  end)
end)

describe("tools.get_or_register_dtype", function()
  it("finds types by their names in C", function()
    for name, expected in pairs { float = "float32", ["unsigned int"] = "uint32", [" long  long int "] = "int64",
      size_t = "uint64", half = "float16", float4 = "float4", ["const uint2"] = "uint2", cuDoubleComplex = "complex128",
      int8 = "int8", uint8_t = "uint8" } do
      assert.equal(dtype(expected), tools.get_or_register_dtype(name), name)
    end
    assert.equal(dtype.int32, tools.get_or_register_dtype { "int", "signed", "int32_t" })
    gpu.raises("LogicError", "no dtype is known for 'spec_unknown'; pass one as the second argument to register it",
      tools.get_or_register_dtype, "spec_unknown")
    gpu.raises("LogicError", "'double' is float64, 'float' is float32", tools.get_or_register_dtype,
      { "float", "double" })
    for _, name in ipairs { "float *", "pointer", "void", "foo bar", "float float", "dim3" } do
      gpu.raises("LogicError", "no dtype is known", tools.get_or_register_dtype, name)
    end
    gpu.refuses_nonsense(tools.get_or_register_dtype)
  end)

  it("makes structs known, for dtype.of(), arguments and signatures", function()
    local p = dtype.struct({ { "x", "float32" }, { "d", "double2" } }, { name = "spec_args_known" })
    gpu.raises("LogicError", "unknown dtype 'spec_args_known'", dtype.of, "spec_args_known")
    assert.equal(p, tools.get_or_register_dtype({ "spec_args_known", "spec_args_also" }, p))
    assert.equal(p, tools.get_or_register_dtype "spec_args_also")
    assert.equal(p, dtype "spec_args_known")
    assert.equal(p, ndarray.zeros(2, "spec_args_also").dtype)
    assert.equal(p, dtype.struct({ { "p", "spec_args_also" } }).fields[1].dtype)
    assert.equal("const spec_args_known *a", tools.parse_c_arg("const struct spec_args_also *a"):declarator())
    local t = require("cudalua.types.signature").of_type("spec", "spec_args_known p")
    assert.same({ "bytes", "spec_args_known p", 32, 16 }, { t.type, t.text, t.size, t.align })
    -- Once more is no mistake, also where it is described again, without a name.
    assert.equal(p, tools.get_or_register_dtype("spec_args_known", p))
    assert.equal(p, tools.get_or_register_dtype("spec_args_known",
      dtype.struct { { "x", "float32" }, { "d", "double2" } }))
  end)

  it("gives a struct without a name its first one", function()
    local p = dtype.struct { { "u", "uint16" }, { "v", "float64" } }
    assert.equal(p, tools.get_or_register_dtype("spec_args_first", p))
    tools.get_or_register_dtype("spec_args_second", p)
    assert.equal("spec_args_first", tools.dtype_to_ctype(p))
  end)

  it("gives numbers further names", function()
    assert.equal(dtype.float64, tools.get_or_register_dtype("spec_args_real", "float64"))
    assert.equal("double *x", tools.parse_c_arg("spec_args_real *x"):declarator())
    assert.equal("float64", require("cudalua.types.signature").of_type("spec", "spec_args_real x").type)
    assert.equal(dtype.float64, dtype "spec_args_real")
  end)

  it("refuses names that stand for something else", function()
    gpu.raises("LogicError", "'float' is float32 already, and not spec_args_pair", tools.get_or_register_dtype, "float",
      pair)
    gpu.raises("LogicError", "'float4' is float4 already", tools.get_or_register_dtype, "float4", pair)
    tools.get_or_register_dtype("spec_args_pair", pair)
    gpu.raises("LogicError", "'spec_args_pair' is spec_args_pair already, and not float4", tools.get_or_register_dtype,
      "spec_args_pair", vec.float4)
    -- Nothing of a list is registered where one of it cannot be.
    gpu.raises("LogicError", "'int' is int32 already", tools.get_or_register_dtype, { "spec_args_half", "int" }, pair)
    gpu.raises("LogicError", "no dtype is known", tools.get_or_register_dtype, "spec_args_half")
    for _, name in ipairs { "", "a b", "1x", "class", "half2", "const", "void", ("x"):rep(300), "a\0b", "ns::type" } do
      gpu.raises("LogicError", "is not a valid type name", tools.get_or_register_dtype, name, pair)
    end
    gpu.raises("LogicError", "tools.get_or_register_dtype: unknown dtype 'foo'", tools.get_or_register_dtype,
      "spec_args_x", "foo")
    gpu.raises("LogicError", "name 2: expected a name, got 5", tools.get_or_register_dtype, { "spec_args_x", 5 }, pair)
    gpu.raises("LogicError", "got table", tools.get_or_register_dtype, {}, pair)
    gpu.refuses_nonsense(function(x) return tools.get_or_register_dtype(x, pair) end, { string = true })
  end)

  it("tools.register_dtype is the same the other way round", function()
    local p = dtype.struct({ { "a", "int32" } }, { name = "spec_args_reg" })
    assert.equal(p, tools.register_dtype(p, { "spec_args_reg", "spec_args_reg2" }))
    assert.equal(p, dtype "spec_args_reg2")
    gpu.raises("LogicError", "'spec_args_reg' is spec_args_reg already, and not int32", tools.register_dtype, "int32",
      "spec_args_reg")
    gpu.raises("LogicError", "tools.register_dtype: unknown dtype 'foo'", tools.register_dtype, "foo", "spec_args_x")
    gpu.refuses_nonsense(function(x) return tools.register_dtype(x, "spec_args_never") end)
    gpu.refuses_nonsense(function(x) return tools.register_dtype(p, x) end, { string = true })
  end)
end)

describe("arguments of kernels", function()
  before_each(gpu.context)

  it("tools.parse_c_arg reads a declaration", function()
    -- text, how it is declared, dtype, pointer, const
    local rows = {
      { "float x", "float x", "float32", false, false },
      { "const float *x", "const float *x", "float32", true, true },
      { "float const*x", "const float *x", "float32", true, true },
      { " unsigned  n ", "unsigned int n", "uint32", false, false },
      { "long unsigned int *n", "unsigned long long *n", "uint64", true, false },
      { "const int n", "const int n", "int32", false, true },
      { "double * const __restrict__ y", "double *y", "float64", true, false },
      { "volatile float *v", "float *v", "float32", true, false },
      { "size_t n", "unsigned long long n", "uint64", false, false },
      { "int8_t *b", "signed char *b", "int8", true, false },
      { "float32 *x", "float *x", "float32", true, false },
      { "half *h", "__half *h", "float16", true, false },
      { "__nv_bfloat16 h", "__nv_bfloat16 h", "bfloat16", false, false },
      { "bool *flags", "bool *flags", "bool", true, false },
      { "float4 *v", "float4 *v", "float4", true, false },
      { "const uchar3 v", "const uchar3 v", "uchar3", false, true },
      { "cuFloatComplex *z", "cudalua::complex<float> *z", "complex64", true, false },
      { "pycuda::complex<float> *z", "cudalua::complex<float> *z", "complex64", true, false },
      { "const cuda::std::complex< double > z", "const cudalua::complex<double> z", "complex128", false, true },
    }
    for _, row in ipairs(rows) do
      local a = tools.parse_c_arg(row[1])
      assert.equal(row[2], a:declarator(), row[1])
      assert.equal(row[2], tostring(a))
      assert.same({ row[3], row[4], row[5] }, { a.dtype.name, a.is_vector, a.is_const }, row[1])
      assert.equal(a.name, row[2]:match "[%w_]+$")
      assert.equal(a.ctype, tools.dtype_to_ctype(a.dtype))
      assert.is_true(tools.is_arg(a))
    end
  end)

  it("tools.parse_c_arg says what is wrong", function()
    local rows = {
      [""] = "expected a type and a name, such as 'const float *x'", ["float"] = "the argument has no name",
      ["float *"] = "the argument has no name", ["unsigned"] = "the argument has no name",
      ["foo *x"] = "no dtype corresponds to foo; register one with tools.get_or_register_dtype(name, dtype)",
      ["float x y"] = "no dtype corresponds to float x", ["void *p"] = "void has no elements",
      ["dim3 d"] = "no dtype corresponds to dim3", ["float **x"] = "a pointer to pointers has no elements",
      ["float x[4]"] = "an array is a pointer to its elements: float *x",
      ["float &x"] = "use a value",
      ["int (*f)(int)"] = "expected a type and a name", ["float *x y"] = "expected one name after the *",
      ["const *x"] = "expected a type and a name", ["short double x"] = "no dtype corresponds to short double",
      ["float x, float y"] = "expected a type and a name", ["float 5"] = "expected a type and a name",
      ["float *while"] = "'while' is not a valid argument name: it is a keyword " ..
        "of", ["float * 5"] = "expected a type and a name",
      [("x "):rep(9999)] = "it is too long for a declaration",
      ["float *x\0y"] = "expected a type and a name",
    }
    for text, why in pairs(rows) do
      local err = gpu.raises("LogicError", why, tools.parse_c_arg, text)
      assert.truthy(err.message:find("^tools%.parse_c_arg: "))
    end
    gpu.raises("LogicError", "expected a declaration, such as 'const float *x', got 5", tools.parse_c_arg, 5)
    gpu.refuses_nonsense(tools.parse_c_arg)
  end)

  it("tools.VectorArg and tools.ScalarArg make the same objects, which are read only", function()
    local a, b = tools.VectorArg("float32", "x", { const = true }), tools.ScalarArg(vec.float4, "k")
    assert.equal("const float *x", a:declarator())
    assert.equal("float4 k", "" .. b)
    assert.same({ true, false }, { a.is_vector, b.is_vector })
    assert.equal("float *x", tools.VectorArg(dtype.float32, "x"):declarator())
    assert.equal("spec_args_pair *p", tools.VectorArg(pair, "p"):declarator())
    gpu.raises("LogicError", "argument x: cannot set 'name': it is read-only", function() a.name = "y" end)
    gpu.raises("LogicError", "an argument has no field 'foo'", function() return a.foo end)
    gpu.raises("LogicError", "tools.VectorArg: unknown dtype 'foo'", tools.VectorArg, "foo", "x")
    gpu.raises("LogicError", "tools.ScalarArg: 'a b' is not a valid argument", tools.ScalarArg, "int32",
      "a b")
    gpu.raises("LogicError", "const must be true or false, got 1", tools.VectorArg, "int32", "x", { const = 1 })
    gpu.raises("LogicError", "constant", tools.VectorArg, "int32", "x", { constant = true })
    gpu.raises("LogicError", "has no name in C", tools.ScalarArg, dtype.struct { { "q", "int8" } }, "x")
    for _, make in ipairs { tools.VectorArg, tools.ScalarArg } do
      gpu.refuses_nonsense(function(x) return make(x, "x") end)
      gpu.refuses_nonsense(function(x) return make("int32", x) end, { string = true })
    end
  end)

  it("tools.Arg has the methods: tools.Arg:declarator, and tools.is_arg knows its objects", function()
    local a = tools.parse_c_arg "float x"
    assert.equal(tools.Arg.declarator, a.declarator)
    assert.is_true(tools.is_arg(a))
    for _, x in ipairs { 1, "float x", {}, tools.Arg, print, dtype.float32 } do assert.is_false(tools.is_arg(x)) end
    assert.is_false(tools.is_arg(nil))
    gpu.refuses_nonsense(tools.Arg.declarator)
  end)

  it("tools.parse_arguments reads a list", function()
    local args = tools.parse_arguments "float a, const float *x,\n  pycuda::complex<float> *z, unsigned int n"
    local texts = {}
    for i, a in ipairs(args) do texts[i] = a:declarator() end
    assert.same({ "float a", "const float *x", "cudalua::complex<float> *z", "unsigned int n" }, texts)
    args = tools.parse_arguments { "float a", tools.VectorArg(pair, "p"), args[4] }
    assert.equal(3, #args)
    assert.equal("spec_args_pair *p", tostring(args[2]))
    assert.equal("n", args[3].name)
    local function refuses(text, x)
      gpu.raises("LogicError", "tools.parse_arguments: " .. text, tools.parse_arguments, x)
    end
    refuses("argument 2: 'float': the argument has no name", "float *x, float")
    refuses("argument 2: the text between two commas is empty", "float *x,, float y")
    refuses("argument 2: the text between two commas is empty", "float *x, ")
    refuses("argument 3: 'int *x' has the same name as argument 1", "float *x, float y, int *x")
    refuses("argument 1: 'foo *x': no dtype corresponds to foo", { "foo *x" })
    refuses("argument 2: expected a declaration, such as 'const float *x', or an argument, got 5", { "float x", 5 })
    refuses("the list of arguments is empty", "  ")
    refuses("the list of arguments is empty", {})
    refuses("expected a list, but it has the field 'x'", { x = "float x" })
    refuses("1025 arguments are more than a kernel can have", (function()
      local list = {}
      for i = 1, 1025 do list[i] = "float x" .. i end
      return list
    end)())
    gpu.refuses_nonsense(tools.parse_arguments)
  end)

  it("declare the kernel, and are its signature", function()
    local args = tools.parse_arguments { "float a", tools.VectorArg(pair, "p"), "const half *h", "float4 v",
      "size_t n" }
    local texts = {}
    for i, a in ipairs(args) do texts[i] = a:declarator() end
    local source = tools.c_declarations(args) .. "extern \"C\" __global__ void k(" .. table.concat(texts, ", ") .. [[) {
      size_t i = threadIdx.x;
      if (i < n) { p[i].x = a * (float)h[i] + v.w; p[i].n = i; }
    }]]
    local fn = cuda.SourceModule(source, { no_extern_c = true }):get_function("k", { args = args })
    local p, h = ndarray.zeros(5, pair), ndarray.array({ 1, 2, 3, 4, 0.5 }, "float16")
    fn(2, cuda.InOut(p), cuda.In(h), vec.make_float4(0, 0, 0, 100), 5, { block = 8 })
    assert.same({ 102, 104, 106, 108, 101 }, p:field("x"):tolist())
    assert.same({ 0, 1, 2, 3, 4 }, p:field("n"):tolist())
    fn:prepare(args, { block = 8 })
    gpu.raises("LogicError", "takes 5 arguments", fn.prepare, fn, tools.parse_arguments "float a, float *b")
  end)
end)

describe("declarations of structs", function()
  before_each(gpu.context)

  it("tools.match_dtype_to_c_struct gives the text, and the struct under that name", function()
    local dt, text = tools.match_dtype_to_c_struct("spec_args_pair", pair)
    assert.equal(pair, dt)
    assert.equal("struct spec_args_pair {\n  float x;\n  int n;\n};\n", text)
    dt, text = tools.match_dtype_to_c_struct("spec_args_renamed", pair)
    assert.are_not.equal(pair, dt)
    assert.equal("spec_args_renamed", dt.name)
    assert.equal("struct spec_args_renamed {\n  float x;\n  int n;\n};\n", text)
    assert.equal(dt, (tools.match_dtype_to_c_struct("spec_args_renamed", dt)))
    local wide = dtype.struct({
      { "c", "int8", { 2, 3 } }, { "p", pair, 2 }, { "in_place", dtype.struct { { "d", "float4" } } },
      { "q", "const float *" },
    }, { align = 32 })
    dt, text = tools.match_dtype_to_c_struct("spec_args_wide", wide)
    assert.same({ 64, 32 }, { dt.itemsize, dt.alignment })
    assert.equal([[
struct __align__(32) spec_args_wide {
  signed char c[2][3];
  spec_args_pair p[2];
  struct {
    float4 d;
  } in_place;
  const float *q;
};
]], text)
    local packed = dtype.struct({ { "c", "int8" }, { "d", "float64" } }, { align = false })
    dt, text = tools.match_dtype_to_c_struct("spec_args_packed", packed)
    assert.equal(9, dt.itemsize)
    assert.equal("struct __attribute__((packed)) spec_args_packed {\n  signed char c;\n  double d;\n};\n", text)
    gpu.raises("LogicError", "float32 is not a struct", tools.match_dtype_to_c_struct, "spec_args_x", "float32")
    gpu.raises("LogicError", "'int' is not a valid type name", tools.match_dtype_to_c_struct, "int", pair)
    gpu.refuses_nonsense(function(x) return tools.match_dtype_to_c_struct(x, pair) end, { string = true })
    gpu.refuses_nonsense(function(x) return tools.match_dtype_to_c_struct("spec_args_x", x) end)
  end)

  it("tools.c_declarations gives all that a source needs, in order and once", function()
    local inner = dtype.struct({ { "h", "float16" } }, { name = "spec_args_inner" })
    local outer = dtype.struct({ { "i", inner, 2 }, { "j", inner }, { "z", "complex64" } },
      { name = "spec_args_outer" })
    local text = tools.c_declarations { outer, "float32", inner, vec.float4, "bfloat16", outer }
    assert.truthy(text:find("^#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n#ifndef CUDALUA_COMPLEX\n"))
    local at = text:find("struct spec_args_inner {", 1, true)
    assert.is_true(at < text:find("struct spec_args_outer {", 1, true))
    assert.is_nil(text:find("struct spec_args_inner {", at + 1, true))
    assert.equal("", tools.c_declarations { "float32", vec.float4 })
    assert.equal("", tools.c_declarations {})
    cuda.compile(text .. "__global__ void k(spec_args_outer *p) {}")
    -- What the user's own text declares is left to it, and a layout that differs does not compile.
    for _, own in ipairs { "struct spec_args_pair { float x; int n; };",
      "typedef struct {float x;int n;} spec_args_pair;", "struct spec_args_pair{ float x; int n; };" } do
      assert.equal("", tools.c_declarations({ pair }, own))
    end
    assert.truthy(tools.c_declarations({ pair }, "struct spec_args_pair2 { }; spec_args_pair f();"):find "^struct")
    gpu.raises("CompileError", "spec_args_packing: another layout than the dtype's", cuda.compile,
      "#pragma pack(1)\n" ..
      tools.c_declarations { dtype.struct({ { "a", "int8" }, { "b", "int32" } }, { name = "spec_args_packing" }) } ..
      "__global__ void k() {}")
    local twin = dtype.struct({ { "y", "float32" } }, { name = "spec_args_pair" })
    gpu.raises("LogicError", "c_declarations: two different structs have the name spec_args_pair", tools.c_declarations,
      { pair, twin })
    gpu.raises("LogicError", "has no name in C", tools.c_declarations, { dtype.struct { { "q", "int8" } } })
    gpu.raises("LogicError", "tools.c_declarations: 2: unknown dtype 'foo'", tools.c_declarations, { "int32", "foo" })
    gpu.raises("LogicError", "source: expected a string, got 5", tools.c_declarations, { pair }, 5)
    gpu.refuses_nonsense(tools.c_declarations, { table = true })
  end)
end)
