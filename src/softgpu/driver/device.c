/* Devices: their names, sizes, the attribute table (compute capability 8.0) and the links between them. */
#include "driver/drv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "cudalua software device";

enum { PCI_BUS = 0x10, PCI_DEVICE = 0 }; /* installed device i sits on bus PCI_BUS + i */

bool sg_device_valid(CUdevice dev) { return dev >= 0 && dev < sg_state.devices; }

static CUresult device_get(CUdevice *out, int ordinal) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!sg_device_valid(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  *out = ordinal;
  return CUDA_SUCCESS;
}

SG_API CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  SG_CALL(SG_NEED_INIT | SG_BESIDE, device_get(device, ordinal), "dev=%llu ordinal=%d", SG_OUT(device),
          ordinal);
}

static CUresult device_count(int *out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = sg_state.devices;
  return CUDA_SUCCESS;
}

SG_API CUresult cuDeviceGetCount(int *count) {
  SG_CALL(SG_NEED_INIT | SG_BESIDE, device_count(count), "count=%llu", SG_OUT(count));
}

static CUresult device_name(char *out, int room, CUdevice dev) {
  if (!out || room < 1) return CUDA_ERROR_INVALID_VALUE;
  if (!sg_device_valid(dev)) return CUDA_ERROR_INVALID_DEVICE;
  snprintf(out, (size_t)room, "%s", name);
  return CUDA_SUCCESS;
}

SG_API CUresult cuDeviceGetName(char *out, int len, CUdevice dev) {
  SG_CALL(SG_NEED_INIT | SG_BESIDE, device_name(out, len, dev), "len=%d dev=%d", len, dev);
}

static CUresult device_memory(size_t *out, CUdevice dev) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!sg_device_valid(dev)) return CUDA_ERROR_INVALID_DEVICE;
  uint64_t free_bytes, total;
  sg_arena_info(dev, &free_bytes, &total);
  *out = total;
  return CUDA_SUCCESS;
}

SG_API CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev) {
  SG_CALL(SG_NEED_INIT | SG_BESIDE, device_memory(bytes, dev), "bytes=%llu dev=%d", SG_OUT(bytes), dev);
}

static CUresult device_uuid(CUuuid *out, CUdevice dev) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!sg_device_valid(dev)) return CUDA_ERROR_INVALID_DEVICE;
  sg_config_uuid(sg_config.visible[dev], out->bytes);
  return CUDA_SUCCESS;
}

SG_API CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev) {
  SG_CALL(SG_NEED_INIT, device_uuid(uuid, dev), "dev=%d", dev);
}

SG_API CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev) {
  SG_CALL(SG_NEED_INIT, device_uuid(uuid, dev), "dev=%d", dev);
}

static CUresult device_bus_id(char *out, int room, CUdevice dev) {
  if (!out || room < 13) return CUDA_ERROR_INVALID_VALUE;
  if (!sg_device_valid(dev)) return CUDA_ERROR_INVALID_DEVICE;
  snprintf(out, (size_t)room, "%04x:%02x:%02x.0", 0, PCI_BUS + sg_config.visible[dev], PCI_DEVICE);
  return CUDA_SUCCESS;
}

SG_API CUresult cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev) {
  SG_CALL(SG_NEED_INIT, device_bus_id(pciBusId, len, dev), "len=%d dev=%d", len, dev);
}

/* domain:bus:device.function, with the domain or the function left out at will. */
static bool bus_id_parse(const char *text, unsigned *domain, unsigned *bus, unsigned *device,
                         unsigned *function) {
  int used = 0;
  *domain = *function = 0;
  size_t len = strlen(text);
  if (sscanf(text, "%x:%x:%x.%x%n", domain, bus, device, function, &used) == 4 && (size_t)used == len)
    return true;
  *function = 0;
  if (sscanf(text, "%x:%x:%x%n", domain, bus, device, &used) == 3 && (size_t)used == len) return true;
  *domain = 0;
  return sscanf(text, "%x:%x.%x%n", bus, device, function, &used) == 3 && (size_t)used == len;
}

static CUresult device_by_bus_id(CUdevice *out, const char *text) {
  unsigned domain, bus, device, function;
  if (!out || !text || !bus_id_parse(text, &domain, &bus, &device, &function))
    return CUDA_ERROR_INVALID_VALUE;
  for (int i = 0; !domain && device == PCI_DEVICE && !function && i < sg_state.devices; i++) {
    if (bus != PCI_BUS + (unsigned)sg_config.visible[i]) continue;
    *out = i;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_DEVICE;
}

SG_API CUresult cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId) {
  SG_CALL(SG_NEED_INIT, device_by_bus_id(dev, pciBusId), "dev=%llu id=%s", SG_OUT(dev), SG_S(pciBusId));
}

static CUresult device_capability(int *major, int *minor, CUdevice dev) {
  if (!major || !minor) return CUDA_ERROR_INVALID_VALUE;
  if (!sg_device_valid(dev)) return CUDA_ERROR_INVALID_DEVICE;
  *major = 8;
  *minor = 0;
  return CUDA_SUCCESS;
}

SG_API CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice dev) {
  SG_CALL(SG_NEED_INIT, device_capability(major, minor, dev), "dev=%d", dev);
}

static CUresult device_peer(int *out, CUdevice dev, CUdevice peer) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!sg_device_valid(dev) || !sg_device_valid(peer)) return CUDA_ERROR_INVALID_DEVICE;
  *out = dev != peer && sg_config.peers;
  return CUDA_SUCCESS;
}

SG_API CUresult cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev) {
  SG_CALL(SG_NEED_INIT, device_peer(canAccessPeer, dev, peerDev), "can=%llu dev=%d peer=%d",
          SG_OUT(canAccessPeer), dev, peerDev);
}

static CUresult peer_attribute(int *out, CUdevice_P2PAttribute attribute, CUdevice dev, CUdevice peer) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!sg_device_valid(dev) || !sg_device_valid(peer) || dev == peer) return CUDA_ERROR_INVALID_DEVICE;
  if ((int)attribute < CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK ||
      attribute > CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED)
    return CUDA_ERROR_INVALID_VALUE;
  bool no = attribute == CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK || /* all links are as fast: rank 0 */
            attribute == CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED;
  *out = sg_config.peers && !no;
  return CUDA_SUCCESS;
}

SG_API CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib, CUdevice srcDevice,
                                        CUdevice dstDevice) {
  SG_CALL(SG_NEED_INIT, peer_attribute(value, attrib, srcDevice, dstDevice),
          "value=%llu attribute=%d dev=%d peer=%d", SG_OUT(value), (int)attrib, srcDevice, dstDevice);
}

/* None is supported, whatever is asked for. */
static CUresult exec_affinity(int *out, CUdevice dev) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!sg_device_valid(dev)) return CUDA_ERROR_INVALID_DEVICE;
  *out = 0;
  return CUDA_SUCCESS;
}

SG_API CUresult cuDeviceGetExecAffinitySupport(int *pi, CUexecAffinityType type, CUdevice dev) {
  SG_CALL(SG_NEED_INIT, exec_affinity(pi, dev), "type=%d dev=%d", (int)type, dev);
}

/* --- attributes --- */

#define A(id) [CU_DEVICE_ATTRIBUTE_##id]

/* What is not named is 0: absent, unsupported or none. */
static const int attributes[CU_DEVICE_ATTRIBUTE_MAX] = {
    A(MAX_THREADS_PER_BLOCK) = SG_MAX_THREADS,
    A(MAX_BLOCK_DIM_X) = SG_MAX_THREADS,
    A(MAX_BLOCK_DIM_Y) = SG_MAX_THREADS,
    A(MAX_BLOCK_DIM_Z) = SG_MAX_BLOCK_Z,
    A(MAX_GRID_DIM_X) = INT32_MAX,
    A(MAX_GRID_DIM_Y) = SG_MAX_GRID_YZ,
    A(MAX_GRID_DIM_Z) = SG_MAX_GRID_YZ,
    A(MAX_SHARED_MEMORY_PER_BLOCK) = SG_SHARED_DEFAULT,
    A(TOTAL_CONSTANT_MEMORY) = SG_CONST_BYTES,
    A(WARP_SIZE) = SG_WARP,
    A(MAX_PITCH) = INT32_MAX,
    A(MAX_REGISTERS_PER_BLOCK) = SG_SM_REGISTERS,
    A(CLOCK_RATE) = 1000000,
    A(TEXTURE_ALIGNMENT) = SG_TEXTURE_ALIGN,
    A(GPU_OVERLAP) = 1,
    A(MULTIPROCESSOR_COUNT) = SG_SM_COUNT,
    A(INTEGRATED) = 0,
    A(CAN_MAP_HOST_MEMORY) = 1,
    A(COMPUTE_MODE) = CU_COMPUTEMODE_DEFAULT,
    A(MAXIMUM_TEXTURE1D_WIDTH) = 131072,
    A(MAXIMUM_TEXTURE2D_WIDTH) = 131072,
    A(MAXIMUM_TEXTURE2D_HEIGHT) = 65536,
    A(MAXIMUM_TEXTURE3D_WIDTH) = 16384,
    A(MAXIMUM_TEXTURE3D_HEIGHT) = 16384,
    A(MAXIMUM_TEXTURE3D_DEPTH) = 16384,
    A(MAXIMUM_TEXTURE2D_LAYERED_WIDTH) = 32768,
    A(MAXIMUM_TEXTURE2D_LAYERED_HEIGHT) = 32768,
    A(MAXIMUM_TEXTURE2D_LAYERED_LAYERS) = 2048,
    A(SURFACE_ALIGNMENT) = SG_TEXTURE_ALIGN,
    A(CONCURRENT_KERNELS) = 1,
    A(PCI_DEVICE_ID) = PCI_DEVICE,
    A(MEMORY_CLOCK_RATE) = 1000000,
    A(GLOBAL_MEMORY_BUS_WIDTH) = 4096, /* bits */
    A(L2_CACHE_SIZE) = 32 << 20,
    A(MAX_THREADS_PER_MULTIPROCESSOR) = SG_SM_THREADS,
    A(ASYNC_ENGINE_COUNT) = 3,
    A(UNIFIED_ADDRESSING) = 1,
    A(MAXIMUM_TEXTURE1D_LAYERED_WIDTH) = 32768,
    A(MAXIMUM_TEXTURE1D_LAYERED_LAYERS) = 2048,
    A(MAXIMUM_TEXTURE2D_GATHER_WIDTH) = 32768,
    A(MAXIMUM_TEXTURE2D_GATHER_HEIGHT) = 32768,
    A(MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE) = 8192,
    A(MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE) = 8192,
    A(MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE) = 32768,
    A(TEXTURE_PITCH_ALIGNMENT) = 32,
    A(MAXIMUM_TEXTURECUBEMAP_WIDTH) = 32768,
    A(MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH) = 32768,
    A(MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS) = 2046,
    A(MAXIMUM_SURFACE1D_WIDTH) = 32768,
    A(MAXIMUM_SURFACE2D_WIDTH) = 131072,
    A(MAXIMUM_SURFACE2D_HEIGHT) = 65536,
    A(MAXIMUM_SURFACE3D_WIDTH) = 16384,
    A(MAXIMUM_SURFACE3D_HEIGHT) = 16384,
    A(MAXIMUM_SURFACE3D_DEPTH) = 16384,
    A(MAXIMUM_SURFACE1D_LAYERED_WIDTH) = 32768,
    A(MAXIMUM_SURFACE1D_LAYERED_LAYERS) = 2048,
    A(MAXIMUM_SURFACE2D_LAYERED_WIDTH) = 32768,
    A(MAXIMUM_SURFACE2D_LAYERED_HEIGHT) = 32768,
    A(MAXIMUM_SURFACE2D_LAYERED_LAYERS) = 2048,
    A(MAXIMUM_SURFACECUBEMAP_WIDTH) = 32768,
    A(MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH) = 32768,
    A(MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS) = 2046,
    A(MAXIMUM_TEXTURE1D_LINEAR_WIDTH) = 1 << 28,
    A(MAXIMUM_TEXTURE2D_LINEAR_WIDTH) = 131072,
    A(MAXIMUM_TEXTURE2D_LINEAR_HEIGHT) = 65000,
    A(MAXIMUM_TEXTURE2D_LINEAR_PITCH) = 2097120,
    A(MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH) = 32768,
    A(MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT) = 32768,
    A(COMPUTE_CAPABILITY_MAJOR) = 8,
    A(COMPUTE_CAPABILITY_MINOR) = 0,
    A(MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH) = 32768,
    A(STREAM_PRIORITIES_SUPPORTED) = 1,
    A(GLOBAL_L1_CACHE_SUPPORTED) = 1,
    A(LOCAL_L1_CACHE_SUPPORTED) = 1,
    A(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR) = SG_SHARED_SM,
    A(MAX_REGISTERS_PER_MULTIPROCESSOR) = SG_SM_REGISTERS,
    A(MANAGED_MEMORY) = 1,
    A(SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO) = 2,
    A(CONCURRENT_MANAGED_ACCESS) = 1,
    A(COMPUTE_PREEMPTION_SUPPORTED) = 1,
    A(CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM) = 1,
    A(COOPERATIVE_LAUNCH) = 1,
    A(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) = SG_SHARED_OPTIN,
    A(HOST_REGISTER_SUPPORTED) = 1,
    A(MAX_BLOCKS_PER_MULTIPROCESSOR) = SG_SM_BLOCKS,
    A(MAX_PERSISTING_L2_CACHE_SIZE) = SG_PERSISTING_L2,
    A(MAX_ACCESS_POLICY_WINDOW_SIZE) = 128 << 20,
    A(RESERVED_SHARED_MEMORY_PER_BLOCK) = SG_SHARED_RESERVED,
    A(MEMORY_POOLS_SUPPORTED) = 1,
    A(MEMPOOL_SUPPORTED_HANDLE_TYPES) = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
    A(IPC_EVENT_SUPPORTED) = 1,
    A(READ_ONLY_HOST_REGISTER_SUPPORTED) = 1,
    A(MEM_SYNC_DOMAIN_COUNT) = 1,
    A(UNIFIED_FUNCTION_POINTERS) = 1,
    A(NUMA_CONFIG) = CU_DEVICE_NUMA_CONFIG_NONE,
    A(NUMA_ID) = -1,
    A(HOST_NUMA_ID) = 0,
    A(HOST_NUMA_MEMORY_POOLS_SUPPORTED) = 1,
    A(HOST_MEMORY_POOLS_SUPPORTED) = 1,
};

int sg_device_attribute(CUdevice_attribute attribute) { return attributes[attribute]; }

/* The first driver version that knew an attribute, from 12.0 on. */
static int attribute_since(CUdevice_attribute a) {
  switch (a) {
  case CU_DEVICE_ATTRIBUTE_VULKAN_CIG_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED: return 12090;
  case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_MPS_ENABLED: return 12030;
  case CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED: return 12010;
  case CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS: return 12000;
  default:
    return a > CU_DEVICE_ATTRIBUTE_HOST_NUMA_MULTINODE_IPC_SUPPORTED ? 13000
           : a > CU_DEVICE_ATTRIBUTE_D3D12_CIG_SUPPORTED             ? 12080
           : a == CU_DEVICE_ATTRIBUTE_D3D12_CIG_SUPPORTED            ? 12050
           : a >= CU_DEVICE_ATTRIBUTE_NUMA_CONFIG                    ? 12020
           : a >= CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED            ? 12000
                                                                     : 0;
  }
}

/* What the control command `attribute` asked for instead of the table's value. */
static struct {
  enum { AS_IT_IS, HIDDEN, GIVEN } how;
  int value;
} override[CU_DEVICE_ATTRIBUTE_MAX];

bool sg_attribute_override(int attribute, bool hide, int value) {
  if (attribute < 1 || attribute >= CU_DEVICE_ATTRIBUTE_MAX) return false;
  override[attribute].how = hide ? HIDDEN : GIVEN;
  override[attribute].value = value;
  return true;
}

void sg_attributes_reset(void) { memset(override, 0, sizeof override); }

static CUresult device_attribute(int *out, CUdevice_attribute attribute, CUdevice dev) {
  if (!out || (int)attribute < 1 || attribute >= CU_DEVICE_ATTRIBUTE_MAX) return CUDA_ERROR_INVALID_VALUE;
  if (attribute_since(attribute) > sg_config.version || override[attribute].how == HIDDEN)
    return CUDA_ERROR_INVALID_VALUE;
  if (!sg_device_valid(dev)) return CUDA_ERROR_INVALID_DEVICE;
  *out = attributes[attribute];
  if (attribute == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID) *out = PCI_BUS + sg_config.visible[dev];
  if (attribute == CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID) *out = dev;
  if (attribute == CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT) *out = sg_config.timeout > 0;
  if (override[attribute].how == GIVEN) *out = override[attribute].value;
  return CUDA_SUCCESS;
}

SG_API CUresult cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev) {
  SG_CALL(SG_NEED_INIT | SG_BESIDE, device_attribute(pi, attrib, dev), "value=%llu attribute=%d dev=%d",
          SG_OUT(pi), (int)attrib, dev);
}

static CUresult linear_width(size_t *out, CUarray_format format, unsigned channels, CUdevice dev) {
  bool known = format == CU_AD_FORMAT_UNSIGNED_INT8 || format == CU_AD_FORMAT_SIGNED_INT8 ||
               format == CU_AD_FORMAT_UNSIGNED_INT16 || format == CU_AD_FORMAT_SIGNED_INT16 ||
               format == CU_AD_FORMAT_UNSIGNED_INT32 || format == CU_AD_FORMAT_SIGNED_INT32 ||
               format == CU_AD_FORMAT_HALF || format == CU_AD_FORMAT_FLOAT;
  if (!out || !known || (channels != 1 && channels != 2 && channels != 4)) return CUDA_ERROR_INVALID_VALUE;
  if (!sg_device_valid(dev)) return CUDA_ERROR_INVALID_DEVICE;
  *out = (size_t)attributes[CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH];
  return CUDA_SUCCESS;
}

SG_API CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements, CUarray_format format,
                                                   unsigned numChannels, CUdevice dev) {
  SG_CALL(SG_NEED_INIT, linear_width(maxWidthInElements, format, numChannels, dev),
          "width=%llu format=%d channels=%u dev=%d", SG_OUT(maxWidthInElements), (int)format, numChannels,
          dev);
}

/* The old summary of the attributes; still a call of the header. */
static CUresult device_properties(CUdevprop *p, CUdevice dev) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  if (!sg_device_valid(dev)) return CUDA_ERROR_INVALID_DEVICE;
  *p = (CUdevprop){.maxThreadsPerBlock = SG_MAX_THREADS,
                   .maxThreadsDim = {SG_MAX_THREADS, SG_MAX_THREADS, SG_MAX_BLOCK_Z},
                   .maxGridSize = {INT32_MAX, SG_MAX_GRID_YZ, SG_MAX_GRID_YZ},
                   .sharedMemPerBlock = SG_SHARED_DEFAULT,
                   .totalConstantMemory = SG_CONST_BYTES,
                   .SIMDWidth = SG_WARP,
                   .memPitch = INT32_MAX,
                   .regsPerBlock = SG_SM_REGISTERS,
                   .clockRate = attributes[CU_DEVICE_ATTRIBUTE_CLOCK_RATE],
                   .textureAlign = SG_TEXTURE_ALIGN};
  return CUDA_SUCCESS;
}

SG_API CUresult cuDeviceGetProperties(CUdevprop *prop, CUdevice dev) {
  SG_CALL(SG_NEED_INIT, device_properties(prop, dev), "dev=%d", dev);
}
