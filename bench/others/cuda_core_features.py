"""Features of cuda.core 1.2, a test for each, written from its public names: its own tests are in no wheel."""
import numpy as np
import pytest
from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Program, ProgramOptions, launch

SOURCE = r"""
template <typename T> __global__ void add(const T *a, const T *b, T *c, size_t n)
{
  for (size_t i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += gridDim.x * blockDim.x) c[i] = a[i] + b[i];
}
extern "C" __global__ void increment(int *p) { atomicAdd(p, 1); }
"""


@pytest.fixture
def device():
    device = Device(0)
    device.set_current()
    return device


def compiled(device, *names, kind="ptx"):
    arch = "compute_80" if kind == "ptx" else f"sm_{device.arch}"
    options = ProgramOptions(std="c++17", arch=arch)
    return Program(SOURCE, "c++", options).compile(kind, name_expressions=names)


def pinned(dtype, count):
    """Page-locked memory and, as its view, an array of zeros."""
    buffer = LegacyPinnedMemoryResource().allocate(np.dtype(dtype).itemsize * count)
    array = np.from_dlpack(buffer).view(dtype)[:count]
    array[:] = 0
    return buffer, array


def all_readable(thing):
    """The names of attributes that cannot be read, or called without arguments."""
    bad = []
    for name in dir(thing):
        if name.startswith("_"):
            continue
        try:
            value = getattr(thing, name)
            if callable(value):
                value()
        except Exception as error:
            bad.append((name, repr(error)))
    return bad


def test_launch(device):
    kernel, stream, n = compiled(device, "add<float>").get_kernel("add<float>"), device.create_stream(), 1000
    (a, x), (b, y), (c, z) = (pinned(np.float32, n) for _ in range(3))
    x[:], y[:] = np.arange(n), 2
    launch(stream, LaunchConfig(grid=4, block=256), kernel, a, b, c, np.uint64(n))
    stream.sync()
    assert (z == x + y).all()


def test_cubin(device):
    compiled(device, "add<float>", kind="cubin").get_kernel("add<float>")


def test_ltoir(device):
    options = ProgramOptions(std="c++17", arch=f"sm_{device.arch}", link_time_optimization=True)
    assert Program(SOURCE, "c++", options).compile("ltoir").code


def test_device_memory(device):
    stream = device.create_stream()
    buffer, (host, array) = device.memory_resource.allocate(4096, stream=stream), pinned(np.uint8, 4096)
    buffer.fill(7, stream=stream)
    buffer.copy_to(host, stream=stream)
    stream.sync()
    assert (array == 7).all()
    buffer.close(stream)


def test_pool_of_limited_size(device):
    from cuda.core import DeviceMemoryResource, DeviceMemoryResourceOptions

    pool = DeviceMemoryResource(device, DeviceMemoryResourceOptions(max_size=1 << 24))
    stream = device.create_stream()
    pool.allocate(1 << 20, stream=stream).close(stream)
    stream.sync()
    assert pool.attributes.used_mem_high == 1 << 20
    assert pool.attributes.reserved_mem_current >= 0


def test_pool_of_several_processes(device):
    from cuda.core import DeviceMemoryResource, DeviceMemoryResourceOptions

    options = DeviceMemoryResourceOptions(max_size=1 << 24, ipc_enabled=True)
    buffer = DeviceMemoryResource(device, options).allocate(1 << 20, stream=device.create_stream())
    assert buffer.ipc_descriptor is not None


def test_pinned_pool(device):
    from cuda.core import PinnedMemoryResource

    buffer = PinnedMemoryResource().allocate(4096, stream=device.create_stream())
    array = np.from_dlpack(buffer).view(np.uint8)
    array[:] = 5
    assert array.sum() == 5 * 4096


def test_managed_pool(device):
    from cuda.core import ManagedMemoryResource

    buffer = ManagedMemoryResource().allocate(4096, stream=device.create_stream())
    assert buffer.is_device_accessible and buffer.is_host_accessible


def test_virtual_memory(device):
    from cuda.core import VirtualMemoryResource

    resource = VirtualMemoryResource(device)
    resource.modify_allocation(resource.allocate(1 << 21), 1 << 22)


def test_event_timing(device):
    from cuda.core import EventOptions

    stream, options = device.create_stream(), EventOptions(timing_enabled=True)
    first, second = stream.record(options=options), stream.record(options=options)
    second.sync()
    assert second - first >= 0 and first.is_done


def test_waiting_streams(device):
    a, b = device.create_stream(), device.create_stream()
    b.wait(a.record())
    b.wait(a)
    b.sync()


def test_stream_options(device):
    from cuda.core import StreamOptions

    stream = device.create_stream(options=StreamOptions(nonblocking=True, priority=-1))
    assert stream.is_nonblocking and stream.priority == -1


def test_foreign_stream(device):
    from cuda.core import Stream

    own = device.create_stream()
    stream = Stream.from_handle(int(own.handle))
    stream.sync()
    assert stream.device == device and stream.context is not None


def test_default_streams(device):
    from cuda.core import LEGACY_DEFAULT_STREAM, PER_THREAD_DEFAULT_STREAM

    LEGACY_DEFAULT_STREAM.sync()
    PER_THREAD_DEFAULT_STREAM.sync()


def test_device_properties(device):
    assert all_readable(device.properties) == []
    assert device.name and device.uuid and device.arch


def test_pci_bus_id(device):
    assert device.pci_bus_id


def test_kernel_attributes(device):
    kernel = compiled(device, "add<float>").get_kernel("add<float>")
    assert all_readable(kernel.attributes) == []
    assert kernel.num_arguments == 4


def test_occupancy(device):
    occupancy = compiled(device, "add<float>").get_kernel("add<float>").occupancy
    assert occupancy.max_active_blocks_per_multiprocessor(256, 0) > 0
    assert occupancy.max_potential_block_size(0, 0)
    assert occupancy.available_dynamic_shared_memory_per_block(1, 256) > 0


def test_occupancy_of_clusters(device):
    occupancy = compiled(device, "add<float>").get_kernel("add<float>").occupancy
    assert occupancy.max_active_clusters(LaunchConfig(grid=4, block=64), stream=device.create_stream()) >= 0


def test_linker(device):
    from cuda.core import Linker, LinkerOptions

    sources = (
        'extern __device__ int f(int); extern "C" __global__ void k(int *p) { *p = f(*p); }',
        "__device__ int f(int x) { return x + 1; }",
    )
    options = ProgramOptions(arch="compute_80", relocatable_device_code=True)
    parts = [Program(source, "c++", options).compile("ptx") for source in sources]
    Linker(*parts, options=LinkerOptions(arch="sm_80")).link("cubin").get_kernel("k")


def test_cooperative_launch(device):
    stream, (buffer, array) = device.create_stream(), pinned(np.int32, 1)
    config = LaunchConfig(grid=4, block=32, is_cooperative=True)
    launch(stream, config, compiled(device).get_kernel("increment"), buffer)
    stream.sync()
    assert array[0] == 128


def test_cluster_launch(device):
    config = LaunchConfig(grid=4, cluster=2, block=32)
    launch(device.create_stream(), config, compiled(device).get_kernel("increment"), pinned(np.int32, 1)[0])


def test_captured_graph(device):
    kernel, stream = compiled(device).get_kernel("increment"), device.create_stream()
    buffer, array = pinned(np.int32, 1)
    builder = stream.create_graph_builder()
    builder.begin_building()
    for _ in range(2):
        launch(builder, LaunchConfig(grid=1, block=32), kernel, buffer)
    graph = builder.end_building().complete()
    graph.upload(stream)
    for _ in range(2):
        graph.launch(stream)
    stream.sync()
    assert array[0] == 128


def test_fork_and_join_in_a_graph(device):
    from cuda.core.graph import GraphBuilder

    kernel, stream = compiled(device).get_kernel("increment"), device.create_stream()
    buffer, array = pinned(np.int32, 1)
    builder = stream.create_graph_builder()
    builder.begin_building()
    left, right = builder.split(2)
    for branch in (left, right):
        launch(branch, LaunchConfig(grid=1, block=32), kernel, buffer)
    graph = GraphBuilder.join(left, right).end_building().complete()
    graph.launch(stream)
    stream.sync()
    assert array[0] == 64


def test_graph_made_by_hand(device):
    from cuda.core.graph import GraphDefinition

    definition = GraphDefinition()
    definition.empty()
    definition.instantiate()


def test_memory_of_a_graph(device):
    from cuda.core import GraphMemoryResource

    resource, stream = GraphMemoryResource(device), device.create_stream()
    builder = stream.create_graph_builder()
    builder.begin_building()
    buffer = resource.allocate(4096, stream=builder)
    buffer.fill(1, stream=builder)
    buffer.close(builder)
    builder.end_building().complete().launch(stream)
    stream.sync()


def test_host_callback_in_a_graph(device):
    stream, calls = device.create_stream(), []
    builder = stream.create_graph_builder()
    builder.begin_building()
    builder.callback(lambda: calls.append(1))
    builder.end_building().complete().launch(stream)
    stream.sync()
    assert calls == [1]


def test_copies_in_a_batch(device):
    from cuda.core.utils import copy_batch

    stream = device.create_stream()
    sources, targets = [pinned(np.uint8, 64) for _ in range(2)], [pinned(np.uint8, 64) for _ in range(2)]
    for number, (_, array) in enumerate(sources):
        array[:] = number + 1
    copy_batch(stream, [buffer for buffer, _ in sources], [buffer for buffer, _ in targets])
    stream.sync()
    assert [array.sum() for _, array in targets] == [64, 128]


def test_strided_view(device):
    from cuda.core.utils import StridedMemoryView

    buffer = LegacyPinnedMemoryResource().allocate(64)
    assert StridedMemoryView.from_any_interface(buffer, stream_ptr=-1).shape == (64,)


def test_texture(device):
    from cuda.core.texture import OpaqueArrayOptions, ResourceDescriptor, TextureObjectOptions

    array = device.create_opaque_array(OpaqueArrayOptions(shape=(16, 16), format="float32", num_channels=1))
    resource = ResourceDescriptor.from_opaque_array(array)
    device.create_texture_object(resource=resource, options=TextureObjectOptions())


def test_tensor_map(device):
    import cuda.bindings.driver as driver

    assert driver.cuTensorMapReplaceAddress(driver.CUtensorMap(), 0)[0] in (0, 1)


def test_green_context(device):
    assert device.resources.sm is not None
