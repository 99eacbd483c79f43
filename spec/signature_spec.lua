local signature = require "cudalua.signature"

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
    assert.equal("ns::A, ns::Box<int>, ns::A *, ns::Box<int> *, const ns::A *, float () *, float[] &, volatile int *",
      texts(signature.of_expression "_Z13__cudalua_sigIPFvN2ns1AENS0_3BoxIiEEPS1_PS3_PKS1_PFfiPfERA3_fPViEE"))
  end)

  it("reads mangled names of templates", function()
    assert.equal("float *, float *, int", texts(signature.of_symbol "_Z2tkIfLi3EEvPT_S1_i"))
    assert.equal("int *, int", texts(signature.of_symbol "_Z4fillPii"))
    assert.equal("ns::A *, ns::A *, ns::Box<ns::A>", texts(signature.of_symbol "_ZN2ns1uEPNS_1AES1_NS_3BoxIS0_EE"))
    assert.equal("int *, float, ns::A *", texts(signature.of_symbol "_Z1vIiJfPN2ns1AEEEvPT_DpT0_"))
    assert.equal("float *, ns::Box<float>, ns::Box<float> *, int[] &",
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
    local found = signature.kernels [[
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
    assert.same({ "a", "?", "n" }, found.plain)
    assert.same({ "p" }, found.bounded)
    assert.same({}, found.none)
    assert.same({ "q", "f" }, found.turned)
  end)
end)
