local gpu = require "spec.support.gpu"
local cuda, ffi = gpu.cuda, require "ffi"
local core = require "cudalua.core"
local kernels = require "cudalua.compiler.kernels"
local ptx = require "cudalua.types.ptx"
local signature, typename = require "cudalua.types.signature", require "cudalua.types.typename"

local function types(params)
  local list = {}
  for i, p in ipairs(params or { { type = "none" } }) do list[i] = p.type end
  return table.concat(list, " ")
end

local function texts(params)
  local list = {}
  for i, p in ipairs(params) do list[i] = p.text end
  return table.concat(list, ", ")
end

describe("kernel signatures", function()
  it("reads every builtin type", function()
    local p = signature.of_expression "_Z13__cudalua_sigIPFvPfPKiijdxhby1P6float4smmEE"
    assert.equal("pointer pointer int32 uint32 float64 int64 uint8 bool uint64 bytes bytes int16 uint64 uint64",
      types(p))
    assert.equal("float *, const int *, int, unsigned int, double, long long, unsigned char, bool, " ..
      "unsigned long long, P, float4, short, unsigned long, unsigned long", texts(p))
  end)

  it("reads no parameters, half, substitutions, nested names and templates", function()
    assert.equal("", types(signature.of_expression "_Z13__cudalua_sigIPFvvEE"))
    assert.equal("float16 bfloat16", types(signature.of_expression "_Z13__cudalua_sigIPFv6__half13__nv_bfloat16EE"))
    -- As NVRTC spells k(ns::A, ns::Box<int>, ns::A *, ns::Box<int> *, const ns::A *const, float (*)(int, float *),
    -- float (&)[3], volatile int *)
    assert.equal("ns::A, ns::Box<int>, ns::A *, ns::Box<int> *, const ns::A *, float (*)(int, float *), float (&)[3], "
      .. "volatile int *",
      texts(signature.of_expression "_Z13__cudalua_sigIPFvN2ns1AENS0_3BoxIiEEPS1_PS3_PKS1_PFfiPfERA3_fPViEE"))
  end)

  it("reads mangled names of templates", function()
    assert.equal("float *, float *, int", texts(signature.of_symbol "_Z2tkIfLi3EEvPT_S1_i"))
    assert.equal("int *, int", texts(signature.of_symbol "_Z4fillPii"))
    assert.equal("ns::A *, ns::A *, ns::Box<ns::A>", texts(signature.of_symbol "_ZN2ns1uEPNS_1AES1_NS_3BoxIS0_EE"))
    assert.equal("int *, float, ns::A *", texts(signature.of_symbol "_Z1vIiJfPN2ns1AEEEvPT_DpT0_"))
    assert.equal("float *, ns::Box<float>, ns::Box<float> *, int (&)[3]",
      texts(signature.of_symbol "_ZN2ns1tIfLi3EEEvPT_NS_3BoxIS1_EEPS4_RAT0__i"))
    assert.is_nil(signature.of_symbol "plain_name")
    assert.is_nil(signature.of_symbol "_Zgarbage")
    assert.is_nil(signature.of_expression "_Z13__cudalua_sigIPFv")
  end)

  it("array bounds and template arguments of templates", function()
    assert.equal("pointer bytes pointer pointer pointer bytes pointer",
      types(signature.of_symbol "_Z3t14IfLi4EEvPAT0__T_1PPS3_S2_S4_1RPS5_"))
    assert.equal("bytes pointer pointer bytes pointer",
      types(signature.of_symbol "_Z3t15IfLi4EEvN2ns1AIT_XT0_EEEPS3_PS2_1PPS6_"))
  end)

  it("garbage never does more than give nil", function()
    math.randomseed(7)
    local letters = "_ZNSKPRIELJFvifdcbhxy0123456789stAMTDr"
    for _ = 1, 5000 do
      local s = {}
      for i = 1, math.random(1, 24) do
        local k = math.random(#letters)
        s[i] = letters:sub(k, k)
      end
      signature.of_symbol("_Z" .. table.concat(s))
      signature.of_expression("_Z13__cudalua_sigI" .. table.concat(s))
    end
    assert.is_true(true)
  end)

  it("finds kernels and the names of their parameters in a source", function()
    local found = kernels.find [[
      // __global__ void commented(int a);
      /* __global__ void also(int b) {} */
      #define K __global__ void macro(int c)
      const char *s = "__global__ void quoted(int d)";
      __global__ void plain(float *a, const int (*rows)[3], int n = 3) {}
      __global__ void __launch_bounds__(256, 2) bounded(unsigned long long *p) {}
      void __global__ turned(struct { int x, y; } q[4], float f) {}
      template<typename T> __global__ void generic(T *a) {}
      extern "C" __global__ void none(void) {}
    ]]
    local names = {}
    for name in pairs(found) do names[#names + 1] = name end
    table.sort(names)
    assert.same({ "bounded", "none", "plain", "turned" }, names)
    assert.same({ "a", "rows", "n" }, found.plain)
    assert.same({ "p" }, found.bounded)
    assert.same({}, found.none)
    assert.same({ "q", "f" }, found.turned)
  end)
end)

-- ---- a table of parameters, compiled at once -----------------------------------------------------------------

ffi.cdef [[
typedef struct { char a; } sig_s1;
typedef struct { char a, b, c; } sig_s3;
typedef struct { float x, y, z; } sig_s12;
typedef struct __attribute__((aligned(16))) { float v[4]; } sig_s16;
typedef struct { int n; sig_s3 rows[4]; float *p; } sig_nested;
typedef union { int i; float f; } sig_union;
typedef enum { SIG_RED, SIG_GREEN = 5 } sig_color;
typedef struct { unsigned char x, y, z; } sig_uchar3;
typedef struct __attribute__((aligned(8))) { int x, y; } sig_int2;
]]

local types_of_source = [[
#include <cuda_fp16.h>
#include <cuda_bf16.h>
typedef struct { char a; } S1;
typedef struct { char a, b, c; } S3;
typedef struct { float x, y, z; } S12;
struct __align__(16) S16 { float v[4]; };
struct Mixed { char tags[8]; double d; short s[4]; };
struct Nested { int n; S3 rows[4]; float *p; };
union U { int i; float f; };
enum Color { RED, GREEN = 5 };
enum class Small : unsigned char { NO, YES };
typedef float real;
typedef unsigned long long word;
using vector = float4;
struct Empty {};
namespace ns {
  struct A { int x; };
  template<class T, int N> struct Box { T v[N]; };
  enum Kind { ONE = 1 };
}
template<class T> struct Pair { T a, b; };
]]

local function as(ctype, ...) return ffi.string(ffi.new(ctype .. "[1]", ...), ffi.sizeof(ctype)) end
local function struct(ctype, init)
  local value = ffi.new(ctype, init)
  return value, ffi.string(value, ffi.sizeof(ctype))
end
local half, bf16 = "\0\62", "\192\63" -- 1.5

-- How C declares it; what it is to us; its bytes; how it is printed where that is not how it was declared; the value
-- to pass (default: the bytes, as a string); the bytes that have to arrive.
local rows = {
  { "bool p", "bool", 1, value = true, bytes = "\1" },
  { "char p", "int8", 1, value = -5, bytes = as("char", -5) },
  { "signed char p", "int8", 1, value = -128, bytes = as("char", -128) },
  { "unsigned char p", "uint8", 1, value = 255, bytes = "\255" },
  { "short p", "int16", 2, value = -2, bytes = as("short", -2) },
  { "unsigned short p", "uint16", 2, value = 65535, bytes = "\255\255" },
  { "int p", "int32", 4, value = -2 ^ 31, bytes = as("int", -2 ^ 31) },
  { "unsigned p", "uint32", 4, "unsigned int p", value = 2 ^ 32 - 1, bytes = ("\255"):rep(4) },
  { "long p", "int64", 8, value = -2 ^ 53, bytes = as("int64_t", -2LL ^ 53) },
  { "unsigned long p", "uint64", 8, value = 0xffffffffffffffffULL, bytes = ("\255"):rep(8) },
  { "long long p", "int64", 8, value = -1LL, bytes = ("\255"):rep(8) },
  { "unsigned long long p", "uint64", 8, value = 2 ^ 40 + 1, bytes = as("int64_t", 2LL ^ 40 + 1) },
  { "size_t p", "uint64", 8, "unsigned long p", value = 7, bytes = as("int64_t", 7) },
  { "ptrdiff_t p", "int64", 8, "long p", value = -7, bytes = as("int64_t", -7) },
  { "wchar_t p", "int32", 4, value = 8364, bytes = as("int", 8364) },
  { "char16_t p", "uint16", 2, value = 8364, bytes = as("short", 8364) },
  { "char32_t p", "uint32", 4, value = 128512, bytes = as("int", 128512) },
  { "float p", "float32", 4, value = 0.1, bytes = as("float", 0.1) },
  { "double p", "float64", 8, value = 0.1, bytes = as("double", 0.1) },
  { "real p", "float32", 4, "float p", value = -2.5, bytes = as("float", -2.5) },
  { "word p", "uint64", 8, "unsigned long long p", value = 9, bytes = as("int64_t", 9) },
  { "__half p", "float16", 2, value = 1.5, bytes = half },
  { "__nv_bfloat16 p", "bfloat16", 2, value = 1.5, bytes = bf16 },
  { "__half2 p", "bytes", 4, bytes = half .. "\0\64" },
  { "const int p", "int32", 4, "int p", value = 3, bytes = as("int", 3) },
  { "float *p", "pointer", 8 },
  { "const float *p", "pointer", 8 },
  { "const float *__restrict__ p", "pointer", 8, "const float *p" },
  { "float *const p", "pointer", 8, "float *p" },
  { "volatile int *p", "pointer", 8 },
  { "const volatile int *p", "pointer", 8, "volatile const int *p" },
  { "float **p", "pointer", 8 },
  { "const float *const *p", "pointer", 8, "const float * const *p" },
  { "void *p", "pointer", 8 },
  { "struct Mixed *p", "pointer", 8, "Mixed *p" },
  { "int p[]", "pointer", 8, "int *p" },
  { "const int (*p)[3]", "pointer", 8 },
  { "enum Color p", "integer32", 4, "Color p", value = 5, bytes = as("int", 5) },
  { "Small p", "integer8", 1, value = 1, bytes = "\1" },
  { "ns::Kind p", "integer32", 4, value = ffi.new("sig_color", 5), bytes = as("int", 5) },
  { "S1 p", "bytes", 1, struct = { "sig_s1", { 65 } } },
  { "S3 p", "bytes", 3, struct = { "sig_s3", { 1, 2, 3 } } },
  { "S12 p", "bytes", 12, struct = { "sig_s12", { 1, 2, 3 } } },
  { "S16 p", "bytes", 16, struct = { "sig_s16", { { 1, 2, 3, 4 } } } },
  { "Mixed p", "bytes", 24, bytes = ("0123456789abcdef"):rep(2):sub(1, 24) },
  { "Nested p", "bytes", 24, struct = { "sig_nested", { 3, { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } } } } },
  { "U p", "bytes", 4, struct = { "sig_union", { f = 2.5 } } },
  { "float4 p", "bytes", 16, bytes = as("double", 1) .. as("double", 2) },
  { "vector p", "bytes", 16, "float4 p", bytes = as("double", 3) .. as("double", 4) },
  { "int2 p", "bytes", 8, struct = { "sig_int2", { 4, 5 } } },
  { "uchar3 p", "bytes", 3, struct = { "sig_uchar3", { 1, 2, 3 } } },
  { "double2 p", "bytes", 16, bytes = as("double", 1) .. as("double", 2) },
  { "dim3 p", "bytes", 12, bytes = as("int", 1) .. as("int", 2) .. as("int", 3) },
  { "ns::A p", "bytes", 4, bytes = as("int", 77) },
  { "ns::Box<float, 3> p", "bytes", 12, "ns::Box<float,3> p", bytes = as("float", 1):rep(3) },
  { "Pair<ns::Box<short, 2> > p", "bytes", 8, "Pair<ns::Box<short,2>> p", bytes = "abcdefgh" },
  { "const __grid_constant__ S12 p", "bytes", 12, "S12 p", struct = { "sig_s12", { 4, 5, 6 } } },
  { "Empty p", "bytes", 1, bytes = "\0" },
  { "cudaTextureObject_t p", "uint64", 8, value = 12, bytes = as("int64_t", 12) },
  { "cudaSurfaceObject_t p", "uint64", 8, value = 13, bytes = as("int64_t", 13) },
  { "void (*p)(int, const float *)", "pointer", 8 },
}

local function source_of_rows()
  local text = { types_of_source }
  for i, row in ipairs(rows) do
    text[#text + 1] = ([[
      extern "C" __global__ void echo%d(unsigned char *out, char lead, %s, char tail) {
        const unsigned char *b = (const unsigned char *)&p;
        out[0] = lead; out[1] = tail;
        for (int i = 0; i < (int)sizeof p; i++) out[2 + i] = b[i];
      }]]):format(i, row[1])
  end
  text[#text + 1] = [[
    __global__ void references(int &a, const float &b) { if (a) a = (int)b; }
    template<class T, int N> __global__ void tk(T *a, const T *b, ns::Box<T, N> box, T x) {
      a[0] = b[0] + box.v[N - 1] + x;
    }
    template<class... T> __global__ void pack(int *n, T... x) { *n = (int)sizeof...(T); }
    namespace ns { __global__ void inside(A *a, A b) { *a = b; } }
    __global__ void over(int *a) { *a = 1; }
    __global__ void over(float *a, int n) { *a = n; }
    extern "C" __global__ void nothing() {}
  ]]
  return table.concat(text, "\n")
end

describe("signatures of compiled kernels", function()
  local mod, out
  setup(function()
    gpu.context()
    mod = cuda.SourceModule(source_of_rows(), { no_extern_c = true, name_expressions = { "tk<float, 3>",
      "tk<double, 2>", "pack<int, float *, ns::A>", "ns::inside", "(void (*)(int *))over",
      "(void (*)(float *, int))over" } })
    out = cuda.mem_alloc(64)
  end)
  before_each(gpu.context)

  it("cuda.Function:signature is the one that was declared", function()
    assert.is_true(#rows >= 40)
    for i, row in ipairs(rows) do
      local text, about = mod:get_function("echo" .. i):signature()
      assert.equal(("void echo%d(unsigned char *out, char lead, %s, char tail)"):format(i, row[4] or row[1]), text)
      assert.equal("compiler", about.source)
      assert.same({}, about.warnings)
      assert.equal(row[2], about.params[3].type, row[1])
      assert.equal(row[3], about.params[3].size, row[1])
      assert.equal(0, about.params[3].offset % math.min(row[2] == "bytes" and 1 or row[3], 8))
    end
    assert.equal("void nothing()", (mod:get_function "nothing":signature()))
  end)

  it("the bytes that arrive are those that were sent, and the parameters beside them are untouched", function()
    local back = ffi.new "unsigned char[64]"
    for i, row in ipairs(rows) do
      local value, bytes = row.value, row.bytes
      if row.struct then value, bytes = struct(row.struct[1], row.struct[2]) end
      if row[2] == "pointer" then value, bytes = out + 8, as("uint64_t", out:ptr() + 8) end
      if value == nil then value = bytes end
      assert.equal(row[3], #bytes, row[1])
      mod:get_function("echo" .. i)(out, 65, value, 90, { block = 1 })
      cuda.memcpy_dtoh(back, out)
      assert.equal("AZ" .. bytes, ffi.string(back, 2 + #bytes), row[1])
    end
  end)

  it("pointers and structs that are pointers take nil; none takes what it is not", function()
    for i, row in ipairs(rows) do
      local fn = mod:get_function("echo" .. i)
      local function refuses(value)
        local ok, err = pcall(fn, out, 65, value, 90, { block = 1 })
        assert.is_false(ok, row[1] .. " took " .. tostring(value))
        assert.is_true(cuda.is_error(err, "LogicError"), tostring(err))
        assert.equal(3, err.arg)
        assert.equal("echo" .. i, err.kernel, row[1])
        assert.equal(row[4] or row[1], err.param)
      end
      if row[2] == "pointer" then
        fn(out, 65, nil, 90, { block = 1 })
        refuses(5)
        refuses "text"
        refuses(ffi.new "int[4]")
        refuses(cuda.int64(5))
      else
        if row[2]:find "int" then refuses(2 ^ 70) refuses(0 / 0) refuses(0.5) end
        if row[2]:find "float" then refuses(true) refuses(cuda.int32(1)) refuses(cuda.int16(1)) refuses(out) end
        refuses(("x"):rep(row[3] + 1))
        if row[3] ~= 8 then refuses(out) refuses(nil) end
        if row[2] == "bytes" then refuses(5) refuses(true) end
      end
    end
  end)

  it("templates, packs, namespaces, overloads and references", function()
    local function signature_of(name) return (mod:get_function(name):signature()) end
    assert.equal("void tk<float,3>(float *, const float *, ns::Box<float,3>, float)", signature_of "tk<float, 3>")
    assert.equal("void tk<double,2>(double *, const double *, ns::Box<double,2>, double)", signature_of "tk<double, 2>")
    assert.equal("void pack<int,float *,ns::A>(int *, int, float *, ns::A)", signature_of "pack<int, float *, ns::A>")
    assert.equal("void ns::inside(ns::A *, ns::A)", signature_of "ns::inside")
    assert.equal("void over(int *)", signature_of "(void (*)(int *))over")
    assert.equal("void over(float *, int)", signature_of "(void (*)(float *, int))over")
    assert.equal("void references(int &, const float &)", signature_of "_Z10referencesRiRKf")
    local _, about = mod:get_function "tk<float, 3>":signature()
    assert.equal("mangled name", about.source)

    local a, back = cuda.to_device(ffi.new("float[1]", 1)), ffi.new "float[1]"
    mod:get_function "tk<float, 3>"(a, a, ffi.new("float[3]", { 10, 20, 30 }), 0.5, { block = 1 })
    cuda.memcpy_dtoh(back, a)
    assert.equal(31.5, back[0])
    gpu.raises("LogicError", "argument 4 (float)", mod:get_function "tk<float, 3>", a, a,
      ffi.new "float[3]", "x", { block = 1 })
  end)
end)

-- ---- other sources -------------------------------------------------------------------------------------------

local by_hand = [[
.version 7.0
.target sm_75
.address_size 64
// .visible .entry commented(.param .f32 no)
.visible .entry hand(
  .param .u64 out, .param .u32 n, /* a comment, with a comma */ .param .f32 x,
  .param .align 8 .b8 s[16], .param .u64 wide, // the end of a line
  .param .f64 d, .param .u16 h, .param .s32 sgn, .param .b32 raw, .param .u64 .ptr .global .align 4 q, .param .u8 b)
{
  .reg .b64 %rd<8>;
  .reg .b32 %r<4>;
  .reg .f32 %f<2>;
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd2, %rd1;
  ld.param.u32 %r1, [n];
  st.global.u32 [%rd2], %r1;
  ld.param.f32 %f1, [x];
  st.global.f32 [%rd2+4], %f1;
  ld.param.u64 %rd3, [wide];
  st.global.u64 [%rd2+8], %rd3;
  ld.param.u64 %rd4, [s+8];
  st.global.u64 [%rd2+16], %rd4;
  ld.param.u32 %r2, [sgn];
  st.global.u32 [%rd2+24], %r2;
  ret;
}
.visible .entry none() { ret; }
.visible .entry bare { ret; }
.visible .entry _Z5namedPfi(.param .u64 a, .param .u32 b) { ret; }
.visible .entry _Z5liarsPfi(.param .u64 a, .param .f32 b) { ret; }
.visible .entry _Z5shortPfi(.param .u64 a) { ret; }
]]

describe("sources of signatures", function()
  before_each(gpu.context)

  it("PTX tells sizes and floats, accepts integers of either sign, and shows what is an address", function()
    local mod = cuda.module_from_buffer(by_hand)
    local fn = mod:get_function "hand"
    local text, about = fn:signature()
    assert.equal("void hand(void *, 32-bit integer, float, 16 bytes, pointer or 64-bit integer, double, " ..
      "16-bit integer, int32, 4 bytes, void *, 8-bit integer)", text)
    assert.equal("PTX", about.source)
    local seen = {}
    for i, p in ipairs(about.params) do seen[i] = p.type end
    assert.equal("pointer integer32 float32 bytes integer64 float64 integer16 int32 unknown pointer integer8",
      table.concat(seen, " "))
    local mem, back = cuda.mem_alloc(32), ffi.new "int[8]"
    local s = ("abcdefgh"):rep(2)
    for _, n in ipairs { -2 ^ 31, 2 ^ 32 - 1, 0 } do
      fn(mem, n, 1.5, s, 2 ^ 40, 2.5, -1, -7, cuda.int32(3), nil, 255, { block = 1 })
      cuda.memcpy_dtoh(back, mem)
      assert.equal(n, back[0] + (n > 2 ^ 31 and 2 ^ 32 or 0))
      assert.equal(1.5, tonumber(ffi.cast("float *", back)[1]))
      assert.equal(256, back[3])
      assert.equal("abcdefgh", ffi.string(back + 4, 8))
      assert.equal(-7, back[6])
    end
    fn(mem, 1, 1.5, s, mem, 2.5, 65535, 0, ffi.new("float", 1), mem, -128, { block = 1 })
    fn(mem, 1, 1.5, s, nil, 2.5, 65535, 0, "four", mem, true, { block = 1 })
    local good = { mem, 1, 1.5, s, mem, 2.5, 1, 0, "four", mem, 1, { block = 1 } }
    for at, values in pairs { { 5, 1.5, "text" }, { 2 ^ 32, -2 ^ 31 - 1, 0.5, mem }, { true, mem, 1e39 },
      { 5, "short" }, { 0.5, "text", 2 ^ 60 }, { mem }, { 65536, -32769 }, { 2 ^ 31 },
      { 5, "sevenbytes" }, { 7 }, { 256, -129 } } do
      for _, value in ipairs(values) do
        local args = { unpack(good, 1, 12) }
        args[at] = value
        assert.equal(at, gpu.error_of("LogicError", fn, unpack(args, 1, 12)).arg)
      end
    end
    assert.equal("void none()", (mod:get_function "none":signature()))
    assert.equal("void bare()", (mod:get_function "bare":signature()))
    mod:get_function "bare" { block = 1 }
    assert.is_nil(ptx.params(by_hand, "commented"))
    assert.is_nil(ptx.params(by_hand, "absent"))
  end)

  it("PTX of NVRTC is read as well, also by the name that a kernel has in its source", function()
    local image = cuda.compile([[
      enum E { A, B };
      __global__ void k(E e, const int *p, size_t n, int *unused, float4 f) { if (n) *(int *)p = e; }
      __global__ void spaced (int *a) {}
    ]], { arch = "compute_80", no_extern_c = true })
    local function types_of(params)
      local list = {}
      for i, p in ipairs(params) do list[i] = p.type end
      return table.concat(list, " ")
    end
    assert.is_true(ptx.is_ptx(image))
    assert.equal("integer32 pointer integer64 integer64 bytes", types_of(ptx.params_of(image, "k")))
    assert.is_nil(ptx.params_of(image, "absent"))
    assert.is_false(ptx.is_ptx "\127ELF .version 7.0 .target sm_80")
    assert.is_false(ptx.is_ptx "")
    local fn = cuda.module_from_buffer(image):get_function "_Z1k1EPKimPi6float4"
    local text, about = fn:signature()
    assert.equal("void k(E, const int *, unsigned long, int *, float4)", text)
    assert.equal("mangled name", about.source)
    assert.equal("integer32", about.params[1].type) -- PTX knows that
    assert.same({}, about.warnings)
  end)

  it("the driver alone knows sizes: one byte may be any, the rest has to be wrapped", function()
    local image = cuda.compile "__global__ void k(int *o, unsigned char a, int b, short c) { *o = a + b + c; }"
    local fn = core.module_load(image):get_function "k"
    local text, about = fn:signature()
    assert.equal("void k(8 bytes, 1 bytes, 4 bytes, 2 bytes)", text)
    assert.equal("driver", about.source)
    local out, back = cuda.mem_alloc(4), ffi.new "int[1]"
    fn(out, 200, cuda.int32(7), cuda.int16(-7), { block = 1 })
    cuda.memcpy_dtoh(back, out)
    assert.equal(200, back[0])
    gpu.raises("LogicError", "wrap the number, e.g. cuda.int32(7)", fn, out, 200, 7, cuda.int16(1), { block = 1 })
    gpu.raises("LogicError", "wrap the number, e.g. cuda.int16(7)", fn, out, 200, cuda.int32(7), 7, { block = 1 })
    gpu.raises("LogicError", "argument 2", fn, out, 256, cuda.int32(7), cuda.int16(1), { block = 1 })
    fn = core.module_load(image):get_function("k", { args = { "int *out", "uint8", "int", ffi.typeof "int16_t" } })
    assert.equal("void k(int *out, uint8, int, short)", (fn:signature()))
    fn(out, 1, 2, 3, { block = 1 })
    cuda.memcpy_dtoh(back, out)
    assert.equal(6, back[0])
  end)

  it("names and PTX that agree are one, what contradicts is left out with a warning", function()
    local mod = cuda.module_from_buffer(by_hand)
    local text, about = mod:get_function "_Z5namedPfi":signature()
    assert.equal("void named(float *, int)", text)
    assert.same({ "mangled name", 0 }, { about.source, #about.warnings })
    text, about = mod:get_function "_Z5shortPfi":signature()
    assert.equal("void short(pointer or 64-bit integer)", text)
    assert.same({ "PTX", "mangled name: 2 parameters, but the kernel has 1" }, { about.source, about.warnings[1] })
    mod:get_function "_Z5shortPfi"
    assert.equal(1, #select(2, mod:get_function "_Z5shortPfi":signature()).warnings)
    text, about = mod:get_function "_Z5liarsPfi":signature()
    assert.equal("void liars(float *, int)", text)
    assert.equal("mangled name: parameter 2, int, is int32, which PTX calls float32", about.warnings[1])
    -- sizes and places
    local apply = require("cudalua.driver.function").apply
    local fn = mod:get_function "hand"
    local function params(change, to)
      local list = ptx.params(by_hand, "hand")
      list[change] = to
      return list
    end
    local ok, why = apply(fn, params(2, { type = "int64", text = "long n" }), "compiler")
    assert.is_false(ok)
    assert.equal("parameter 2, long n, has 8 bytes, but the kernel's has 4", why)
    ok, why = apply(fn, params(4, { type = "bytes", text = "Big s", size = 16, align = 16 }), "compiler")
    assert.is_true(ok, why) -- 16 is a multiple of 16
    fn = mod:get_function "_Z5namedPfi"
    ok, why = apply(fn, { { type = "bytes", text = "S a", size = 8, align = 8 },
      { type = "bytes", text = "T b", size = 4, align = 16 } }, "compiler")
    assert.is_false(ok)
    assert.equal("parameter 2, T b, is at offset 16, but the kernel's is at 8", why)
    assert.equal(1, #select(2, fn:signature()).warnings)
  end)

  it("get_function(name, {args =}) says it all, and has to fit", function()
    local image = cuda.compile "__global__ void k(float *o, float4 v, int n, double d) { *o = v.x + n + (float)d; }"
    local function get(args) return core.module_load(image):get_function("k", { args = args }) end
    local fn = get { "float *dest", "float4", "int n", "double" }
    local text, about = fn:signature()
    assert.equal("void k(float *dest, float4, int n, double)", text)
    assert.equal("args", about.source)
    local out, back = cuda.mem_alloc(4), ffi.new "float[1]"
    fn(out, ffi.new("float[4]", { 1, 2, 3, 4 }), 10, 100, { block = 1 })
    cuda.memcpy_dtoh(back, out)
    assert.equal(111, back[0])
    assert.equal("void k(float *, 16 bytes, int32, float64)",
      (get { ffi.typeof "float *", { bytes = 16, align = 16 }, cuda.dtype.int32, cuda.dtype.float64 }:signature())
        :gsub("void %*,", "float *,"))
    gpu.raises("LogicError", "3 parameters, but the kernel has 4", get, { "float *", "float4", "int" })
    local err = gpu.raises("LogicError", "parameter 3, long, has 8 bytes, but the kernel's has 4", get,
      { "float *", "float4", "long", "double" })
    assert.equal("k", err.kernel)
    gpu.raises("LogicError", "args[2]: 'float5' is not a valid parameter " ..
      "type", get, { "float *", "float5", "int", "double" })
    gpu.raises("LogicError", "without holes", get, { "float *", nil, "int", "double" })
    gpu.raises("LogicError", "expected a list", get, "float *, int")
    gpu.raises("LogicError", "expected a list", get, 5)
    gpu.raises("LogicError", "unknown option 'arg'", cuda.Module.get_function, core.module_load(image), "k",
      { arg = {} })
    gpu.raises("LogicError", "expected a table", cuda.Module.get_function, core.module_load(image), "k", "float *")
    -- a SourceModule knows them; what the user says goes before
    local mod = cuda.SourceModule "__global__ void k(int *o, int n) { *o = n; }"
    assert.equal("void k(int *o, int n)", (mod:get_function "k":signature()))
    assert.equal("void k(int *o, unsigned m)",
      (mod:get_function("k", { args = { "int *o", "unsigned m" } }):signature()))
    mod:get_function "k"(out, 2 ^ 32 - 1, { block = 1 })
    gpu.raises("LogicError", "out of the range 0 to", mod:get_function "k", out, -1, { block = 1 })
    local _, floats = mod:get_function("k", { args = { "int *o", "float m" } }):signature()
    assert.truthy(floats.warnings[1]:find("args: parameter 2, float m, is float32", 1, true))
    fn:signature()
    gpu.error_of("LogicError", cuda.Function.signature, 5)
    gpu.error_of("LogicError", cuda.Function.signature)
  end)

  it("types are written as in C, as dtypes, or as FFI has them", function()
    local expected = {
      ["float"] = "float32 4", ["const float x"] = "float32 4", double = "float64 8", int = "int32 4",
      ["int n"] = "int32 4",
      unsigned = "uint32 4", ["unsigned n"] = "uint32 4", ["unsigned int n"] = "uint32 4",
      ["int unsigned"] = "uint32 4",
      ["long unsigned int"] = "uint64 8", ["long long"] = "int64 8", ["unsigned long long int k"] = "uint64 8",
      short = "int16 2", ["unsigned short s"] = "uint16 2", char = "int8 1", ["signed char c"] = "int8 1",
      ["unsigned char"] = "uint8 1", bool = "bool 1", _Bool = "bool 1", size_t = "uint64 8", ["size_t n"] = "uint64 8",
      int8 = "int8 1", uint16 = "uint16 2", int64 = "int64 8", float16 = "float16 2", bfloat16 = "bfloat16 2",
      half = "float16 2", __half = "float16 2", ["__nv_bfloat16 b"] = "bfloat16 2", uint32_t = "uint32 4",
      ["float *"] = "pointer 8", ["const float *a"] = "pointer 8", ["float*"] = "pointer 8", ["void **p"] = "pointer 8",
      ["const float * __restrict__ a"] = "pointer 8", ["struct Foo *"] = "pointer 8", ["int a[]"] = "pointer 8",
      ["int &r"] = "pointer 8", pointer = "pointer 8", float4 = "bytes 16", ["float3 v"] = "bytes 12",
      uchar3 = "bytes 3",
      double4 = "bytes 32", dim3 = "bytes 12", complex64 = "bytes 8", complex128 = "bytes 16", __half2 = "bytes 4",
      ["cudaTextureObject_t t"] = "uint64 8", __int128 = "bytes 16",
    }
    for text, want in pairs(expected) do
      local p = typename.of_type("spec", text)
      assert.equal(want, p.type .. " " .. p.size, text)
      assert.equal(text, p.text)
    end
    for ctype, want in pairs { ["float"] = "float32 4", ["int64_t"] = "int64 8", ["uint8_t"] = "uint8 1",
      ["char"] = "int8 1", ["sig_s3"] = "bytes 3 1", ["sig_s16"] = "bytes 16 16", ["float *"] = "pointer 8",
      ["int (*)(int)"] = "pointer 8",
      ["sig_color"] = "int32 4", ["complex float"] = "bytes 8 4", ["bool"] = "bool 1", ["size_t"] = "uint64 8" } do
      local p = typename.of_type("spec", ffi.typeof(ctype))
      assert.equal(want, p.type .. " " .. p.size .. (p.type == "bytes" and " " .. p.align or ""), ctype)
    end
    for _, dtype in ipairs(cuda.dtype.list) do assert.equal(dtype.itemsize, typename.of_type("spec", dtype).size) end
    for _, bad in ipairs { "", "floaty", "long double", "unsigned float", "char short", "void", "int int n m", "5",
      "...", "int int", "unsigned unsigned",
      "long long long", "float 4", 5, true, print, {}, { bytes = 0 }, { bytes = 1.5 }, { bytes = 4, align = 3 },
      { bytes = 4, aling = 4 }, { bytes = 2 ^ 40 }, ffi.new "int[2]", ffi.new("int", 5), setmetatable({}, {}),
      ffi.typeof "void" } do
      gpu.error_of("LogicError", typename.of_type, "spec", bad)
    end
    gpu.error_of("LogicError", typename.of_type, "spec", nil)
  end)

  it("drivers that do not tell where parameters lie: names, PTX and args do", function()
    local text, ok = gpu.child(([[
      local cuda, ffi = require "cudalua", require "ffi"
      cuda.on_notice = false
      cuda.init()
      cuda.Device(0):make_context()
      local mod = cuda.module_from_buffer(%q)
      print((mod:get_function "hand":signature()))
      local mem, back = cuda.mem_alloc(32), ffi.new "int[8]"
      mod:get_function "hand"(mem, 5, 1.5, ("x"):rep(16), 6, 2.5, 1, -7, cuda.int32(0), nil, 0, { block = 1 })
      cuda.memcpy_dtoh(back, mem)
      print(back[0], back[2], back[6])
      local image = %q
      local unknown = require("cudalua.core").module_load(image)
      print((unknown:get_function "_Z5namedPfi":signature()))
      local fn = unknown:get_function "hand"
      print(fn:signature())
      print(select(2, pcall(fn, 1, { block = 1 })).message)
      local args = { "void*", "int", "float", { bytes = 16, align = 8 }, "size_t", "double", "short", "int", "int",
        "int *", "char" }
      unknown:get_function("hand", { args = args })(mem, 9, 1.5, ("y"):rep(16), 6, 2.5, 1, -7, 0, nil, 0, { block = 1 })
      cuda.memcpy_dtoh(back, mem)
      print(back[0], back[6], back[4] == 0x79797979)
      args[4] = { bytes = 16 }
      print(select(2, pcall(unknown.get_function, require("cudalua.core").module_load(image), "hand", { args = args }))
        .message)
    ]]):format(by_hand, by_hand), "CUDALUA_DRIVER=soft CUDALUA_SOFT_VERSION=12030")
    assert.is_true(ok, text)
    assert.same({
      "void hand(void *, 32-bit integer, float, 16 bytes, pointer or 64-bit integer, double, 16-bit integer, int32, " ..
        "4 bytes, void *, 8-bit integer)",
      "5\t6\t-7",
      "void named(float *, int)",
      text:match "void hand%(%.%.%.%)\t[^\n]*",
      'hand: this driver does not report parameter offsets (CUDA 12.4 and newer do): pass their types, ' ..
        'mod:get_function(name, {args = {"float*", "int"}})',
      "9\t-7\ttrue",
      "get_function: args of hand: the driver does not report parameter offsets, and not all sizes are known",
    }, (function()
      local lines = {}
      for line in text:gmatch "[^\n]+" do lines[#lines + 1] = line end
      return lines
    end)())
  end)
end)
