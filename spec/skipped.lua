-- The specs that are skipped, for each kind of driver, as "device_spec: full name of the test"; one_gpu: all of
-- these too, where there is one GPU; no_gl: all of these too, where there is no OpenGL without a window, which CI has
-- to have; no_language_server, no_browser, no_cmark: likewise where lua-language-server, Chromium or cmark-gfm is not
-- found, and no_luv and no_tarantool without these hosts. CI has to have cmark-gfm, luv and, but under the sanitizers,
-- Tarantool. A run whose skipped specs differ from this list fails.
return {
  soft = {
    "gpuarray_scan_spec: Scans of more than 2^31 elements",
    "gpuarray_huge_spec: More than 2^31 elements of int8: sums, extremes and their positions, counts, views",
    "gpuarray_huge_spec: More than 2^31 elements of float32: sums, means, positions, both axes",
    "gpuarray_huge_spec: More than 2^31 elements cumulative sums of float32 along an axis, in place",
    "gpuarray_huge_spec: More than 2^31 elements random numbers, by their places",
    "gpuarray_huge_spec: More than 2^31 elements sorted, counted by bins, and unique",
    "gpuarray_huge_spec: More than 2^31 elements where sorted bytes were: argsort",
    "vendor_gpu_spec: cuBLASLt on a GPU is found, opened and chosen, with linalg.backend and linalg.libraries",
    "vendor_gpu_spec: cuBLASLt on a GPU multiplies float32 as own kernels do, however operands lie in memory",
    "vendor_gpu_spec: cuBLASLt on a GPU multiplies float64 as own kernels do, however operands lie in memory",
    "vendor_gpu_spec: cuBLASLt on a GPU multiplies float16 as own kernels do, however operands lie in memory",
    "vendor_gpu_spec: cuBLASLt on a GPU multiplies bfloat16 as own kernels do, however operands lie in memory",
    "vendor_gpu_spec: cuBLASLt on a GPU multiplies complex64 as own kernels do, however operands lie in memory",
    "vendor_gpu_spec: cuBLASLt on a GPU multiplies complex128 as own kernels do, however operands lie in memory",
    "vendor_gpu_spec: cuBLASLt on a GPU multiplies int8 exactly where it has an algorithm, which it has for "
      .. "multiples of 4",
    "vendor_gpu_spec: cuBLASLt on a GPU computes linalg.linear with its epilogues",
    "vendor_gpu_spec: cuBLASLt on a GPU rounds operands to TF32 with linalg.precision tensor, and only then",
    "vendor_gpu_spec: cuBLASLt on a GPU is kept by a graph, which reads the operands anew when it is launched",
    "vendor_gpu_spec: cuBLASLt on a GPU goes in the order of streams",
    "vendor_gpu_spec: cuBLASLt on a GPU has room for more shapes than it keeps plans of",
    "vendor_gpu_spec: cuBLASLt on a GPU works in a second context, and when the first is current again",
    "vendor_gpu_spec: cuBLASLt on a GPU multiplies large matrices as own kernels do",
    "cufft_gpu_spec: cuFFT on a GPU is found, opened and chosen",
    "cufft_gpu_spec: cuFFT on a GPU computes what NumPy does, with each norm",
    "cufft_gpu_spec: cuFFT on a GPU transforms complex64 and real numbers as own kernels do, along every axis "
      .. "and several",
    "cufft_gpu_spec: cuFFT on a GPU transforms complex128 and real numbers as own kernels do, along every "
      .. "axis and several",
    "cufft_gpu_spec: cuFFT on a GPU transforms long rows of complex64 as own kernels do",
    "cufft_gpu_spec: cuFFT on a GPU transforms long rows of complex128 as own kernels do",
    "cufft_gpu_spec: cuFFT on a GPU transforms a length of many passes, and large images",
    "cufft_gpu_spec: cuFFT on a GPU ignores the imaginary parts of the elements 0 and n / 2 of fft.irfft, and "
      .. "leaves the operand as it is",
    "cufft_gpu_spec: cuFFT on a GPU is kept by a graph with its plan, which reads the operand anew when it is launched",
    "cufft_gpu_spec: cuFFT on a GPU needs its plan before a capture, and the capture is not broken by the error",
    "cufft_gpu_spec: cuFFT on a GPU goes in the order of streams, also with one plan and its work area in two of them",
    "cufft_memory_spec: cuFFT on a GPU gives its plans back: memory does not grow with their number",
    "cufft_gpu_spec: cuFFT on a GPU works in a second context, and when the first is current again",
    "cusparse_gpu_spec: cuSPARSE on a GPU is found, opened and chosen",
    "cusparse_gpu_spec: cuSPARSE on a GPU multiplies matrices of float32 by vectors and dense matrices as own "
      .. "kernels do",
    "cusparse_gpu_spec: cuSPARSE on a GPU multiplies matrices of float64 by vectors and dense matrices as own "
      .. "kernels do",
    "cusparse_gpu_spec: cuSPARSE on a GPU multiplies matrices of complex64 by vectors and dense matrices as "
      .. "own kernels do",
    "cusparse_gpu_spec: cuSPARSE on a GPU multiplies matrices of complex128 by vectors and dense matrices as "
      .. "own kernels do",
    "cusparse_gpu_spec: cuSPARSE on a GPU multiplies matrices of float16 by vectors and dense matrices as own "
      .. "kernels do",
    "cusparse_gpu_spec: cuSPARSE on a GPU multiplies matrices of bfloat16 by vectors and dense matrices as "
      .. "own kernels do",
    "cusparse_gpu_spec: cuSPARSE on a GPU multiplies operands of two types as own kernels do",
    "cusparse_gpu_spec: cuSPARSE on a GPU multiplies two sparse matrices of float32 as own kernels do, with "
      .. "their elements in order",
    "cusparse_gpu_spec: cuSPARSE on a GPU multiplies two sparse matrices of float64 as own kernels do, with "
      .. "their elements in order",
    "cusparse_gpu_spec: cuSPARSE on a GPU multiplies two sparse matrices of complex64 as own kernels do, with "
      .. "their elements in order",
    "cusparse_gpu_spec: cuSPARSE on a GPU multiplies two sparse matrices of complex128 as own kernels do, "
      .. "with their elements in order",
    "cusparse_gpu_spec: cuSPARSE on a GPU multiplies large matrices with long rows and empty ones",
    "cusparse_gpu_spec: cuSPARSE on a GPU gives equal bits for equal products with dense operands",
    "cusparse_gpu_spec: cuSPARSE on a GPU does not read what was in the memory of the result",
    "cusparse_gpu_spec: cuSPARSE on a GPU takes positions of 64 bits with dense operands",
    "cusparse_gpu_spec: cuSPARSE on a GPU is kept by a graph, which reads values and vectors anew when it is launched",
    "cusparse_gpu_spec: cuSPARSE on a GPU goes in the order of streams",
    "cusparse_gpu_spec: cuSPARSE on a GPU solves by iterations, as own kernels do",
    "cusparse_gpu_spec: cuSPARSE on a GPU works in a second context, and when the first is current again",
    "solver_gpu_spec: cuSOLVER on a GPU is found, opened and chosen, with linalg.backend and linalg.libraries",
    "solver_gpu_spec: cuSOLVER on a GPU gives factors of float32 that fit, however matrices lie in memory",
    "solver_gpu_spec: cuSOLVER on a GPU gives factors of float64 that fit, however matrices lie in memory",
    "solver_gpu_spec: cuSOLVER on a GPU gives factors of complex64 that fit, however matrices lie in memory",
    "solver_gpu_spec: cuSOLVER on a GPU gives factors of complex128 that fit, however matrices lie in memory",
    "solver_gpu_spec: cuSOLVER on a GPU gives factors of large matrices that fit",
    "solver_gpu_spec: cuSOLVER on a GPU gives factors of Hilbert's matrices, and inverses as good as their "
      .. "condition allows",
    "solver_gpu_spec: cuSOLVER on a GPU gives factors of matrices whose squares overflow or vanish",
    "solver_gpu_spec: cuSOLVER on a GPU raises what own kernels raise of singular and indefinite matrices",
    "solver_gpu_spec: cuSOLVER on a GPU gives NaN for NaN and infinities, and leaves other matrices of the batch alone",
    "solver_gpu_spec: cuSOLVER on a GPU is kept by a graph, where it need not wait, and refused where it has to",
    "solver_gpu_spec: cuSOLVER on a GPU goes in the order of streams",
    "solver_gpu_spec: cuSOLVER on a GPU works in a second context, and when the first is current again",
  },
  one_gpu = {
    "docs_spec: documents docs/devices.md: its programs do what it says",
    "multi_gpu_spec: two devices are told apart",
    "multi_gpu_spec: two devices kernels use memory of the other between cuda.Context:enable_peer_access and "
      .. "disable_peer_access",
    "multi_gpu_spec: two devices a kernel that reaches over without access loses its device",
    "multi_gpu_spec: two devices cuda.memcpy_peer and cuda.memcpy_peer_async copy from one to the other, with and "
      .. "without access",
    "multi_gpu_spec: two devices cuda.Memcpy3DPeer copies a box from one to the other",
    "multi_gpu_spec: two devices a stream waits for an event of the other",
    "multi_gpu_spec: two devices what is dropped goes back to its device, whichever is current",
    "multi_gpu_spec: two devices cuda.MemoryPool:set_access opens a pool to kernels of the other",
    "multi_gpu_spec: two devices cuda.IPCMemoryHandle on one device opens memory of a process on the other",
    "multi_gpu_spec: two devices cuda.Context:enable_peer_access refuses what is no peer, and ends with either "
      .. "context",
    "multi_gpu_spec: two devices cuda.Memcpy3DPeer and cuda.memcpy_peer refuse what does not fit, and copy nothing "
      .. "then",
    "multi_gpu_spec: two devices arrays of one go to the other, in the order of streams",
    "multi_gpu_spec: two devices cuda.Event.from_ipc_handle on one device orders work behind that of a process on the "
      .. "other",
    "multi_gpu_spec: two devices a process that ends leaves a process on the other device alive",
  },
  no_gl = {
    "gl_spec: gl.headless draws, and gl.Headless:read_pixels has the top row first",
    "gl_spec: gl.headless gl.Headless:program raises what the compiler says",
    "gl_spec: gl.headless gl.Headless:buffer and gl.Headless:texture check their arguments, and leave what is bound",
    "gl_spec: gl.headless gl.Headless:make_current, gl.Headless:release and gl.Headless:close change which one "
      .. "is current",
    "gl_spec: gl.devices, gl.init and gl.make_context work with a context",
    "gl_spec: gl.RegisteredBuffer is one memory for both: what CUDA writes between map and unmap, OpenGL has",
    "gl_spec: gl.RegisteredBuffer takes buffers of every kind of storage",
    "gl_spec: gl.RegisteredBuffer leaves OpenGL's bindings as they are",
    "gl_spec: gl.RegisteredBuffer raises for names that are no buffers, and for buffers without storage",
    "gl_spec: gl.RegisteredBuffer gl.RegisteredBuffer:unregister unmaps first; a second one raises",
    "gl_spec: gl.RegisteredBuffer gl.RegisteredBuffer:set_map_flags: what is only read stays, what is "
      .. "overwritten is not copied",
    "gl_spec: gl.RegisteredMapping ends with gl.RegisteredMapping:unmap, and its pointer with it",
    "gl_spec: gl.RegisteredMapping is taken by arrays and copies, not by other processes",
    "gl_spec: gl.RegisteredMapping waits for all streams that used it",
    "gl_spec: gl.RegisteredMapping takes part in no capture; a graph that worked on it cannot be launched any more",
    "gl_spec: gl.RegisteredMapping belongs to its context",
    "gl_spec: gl.RegisteredMapping needs an OpenGL context in each call, and goes on when there is one again",
    "gl_spec: Dropped buffers and mappings are given back by the next call when their OpenGL context is current",
    "gl_spec: Dropped buffers and mappings are forgotten when their context is gone, and call no OpenGL in a finalizer",
    "gl_spec: Dropped buffers and mappings a mapping that was dropped is unmapped before the buffer is mapped again",
    "gl_spec: Dropped buffers and mappings of a Lua state that has closed are counted, and given back by a call "
      .. "of another",
    "gl_spec: Dropped buffers and mappings gl.headless: a process that ends with all of it open ends well",
    "gl_spec: gl.RegisteredImage has the texels of 2D textures of each format, and gives them back",
    "gl_spec: gl.RegisteredImage has half and whole floats as they are",
    "gl_spec: gl.RegisteredImage gl.RegisteredMapping:array has levels, faces, layers and slices",
    "gl_spec: gl.RegisteredImage has what was drawn into a renderbuffer, and CUDA draws into it",
    "gl_spec: gl.RegisteredImage leaves OpenGL's bindings and pixel settings as they are",
    "gl_spec: gl.RegisteredImage raises for what CUDA does not take",
    "gl_spec: gl.BufferObject maps as before graphics resources, and says once that it is old",
    "gl_spec: The software device and OpenGL a notice says once that mapping copies",
    "gl_spec: The software device and OpenGL memory that is mapped to be overwritten counts as unwritten",
    "gl_spec: The software device and OpenGL each call of the driver may fail once, and works the next time",
    "gl_spec: The software device and OpenGL a kernel that fails while a buffer is mapped is an error of unmap, "
      .. "and nothing else",
    "gl_spec: docs/opengl.md its program with OpenGL runs",
    "gl_spec: cudalua.gl.autoinit makes a context for the OpenGL context that is current",
    "examples_spec: examples 25_gl_particles",
  },
  cuda = {
    "background_spec: streams in the background are what softgpu.streams says",
    "background_spec: streams in the background begin with cuda.completion_fd, unless a mode was chosen",
    "background_spec: streams in the background start no thread before there is work",
    "background_spec: streams in the background tell of a fault in the next call, with its report",
    "background_spec: streams in the background end with the program",
    "gl_spec: The software device and OpenGL a kernel that fails while a buffer is mapped is an error of unmap, and "
      .. "nothing else",
    "gl_spec: The software device and OpenGL each call of the driver may fail once, and works the next time",
    "gl_spec: The software device and OpenGL a notice says once that mapping copies",
    "gl_spec: The software device and OpenGL memory that is mapped to be overwritten counts as unwritten",
    "texture_spec: cuda.TextureObject reports what the driver refuses, and leaves nothing behind",
    "texref_spec: References of old sources of an unbound reference a fetch is reported",
    "exported_spec: Keys of exported kernels of arrays are the same for every device",
    "interrupt_spec: cuda.interrupts leaves the calls of waits as they are while it is off",
    "interrupt_spec: An InterruptError ends a kernel of the software device within 200 ms, and the launches behind it",
    "interrupt_spec: An InterruptError is a matter of the program's own threads: those of the library take no signal",
    "progress_spec: cuda.show_progress shows a kernel of the software device that takes long, what is done and left, "
      .. "and erases the line",
    "progress_spec: cuda.show_progress leaves no line of a kernel that is stopped",
    "bounds_spec: the bounds of arrays on the software device a GPU does not look",
    "image_reports_spec: the software device reports a GPU does not look",
    "texture_probe_spec: the texture unit of the software device reads what a GPU read, section by section",
    "images_spec: textures of the software device read what the programming guide says, of random descriptions at "
      .. "random places and around edges",
    "images_spec: surfaces of the software device store formatted texels: limited integers, rounded normalised ones, "
      .. "halves and floats",
    "images_spec: textures of the software device read what a GPU read, where that was recorded",
    "exports_spec: the software device's library exports each name of NVIDIA's",
    "exports_spec: the software device's library logs the calls of what it lacks, and of the names of old",
    "gpuarray_cell_spec: Values of reductions that are read at once errors come where they came",
    "check_spec: checks of the software device find one access too many, in each space of memory",
    "check_spec: checks of the software device find pointers that lead nowhere",
    "check_spec: checks of the software device find loads of what nobody has written",
    "check_spec: checks of the software device find races, and name both ends",
    "check_spec: checks of the software device find barriers and shuffles that not all come to",
    "check_spec: checks of the software device say nothing of the same kernels without their bug",
    "check_spec: checks of the software device say nothing of values from lanes that do not take part, if they are "
      .. "thrown away",
    "check_spec: checks of the software device say nothing of copies that were under way when their block, or their "
      .. "kernel, ended",
    "check_spec: checks of the software device do not look where they were not asked to",
    "check_spec: checks of the software device say nothing of kernels that are right: CUB, cooperative groups, locks, "
      .. "scans, calls",
    "check_spec: checks of the software device say nothing of the differential corpus, and change no result of it",
    "check_spec: checks of the software device say nothing of the examples",
    "check_spec: checks of the software device are the detail of a LaunchError, which the next call that waits raises",
    "check_spec: checks of the software device name memory that was given back in the stream's order, as long as the "
      .. "kernel may use it",
    "check_spec: checks of the software device name shared arrays as the source does: the one of the address, or the "
      .. "one that lies there",
    "check_spec: checks of the software device write their reports as JSON, on stderr or into a file",
    "check_spec: checks of the software device find what kernels have allocated and nobody has freed, when the "
      .. "context goes",
    "check_spec: checks of the software device list all that is left when the process ends, and where it was made",
    "check_spec: checks of the software device find nothing left of a program that ends as Lua programs do, and do not "
      .. "ask after a fault",
    "used_bytes_spec: the pragma used_bytes_mask has a bit for each byte of a load of 32 bytes",
    "used_bytes_spec: checks of loads behind the pragma used_bytes_mask name the used bytes that are not there",
    "used_bytes_spec: checks of loads behind the pragma used_bytes_mask ask for the alignment of all of the load",
    "used_bytes_spec: checks of loads behind the pragma used_bytes_mask say nothing of used bytes that were written "
      .. "beside some that were not",
    "used_bytes_spec: checks of loads behind the pragma used_bytes_mask find no race in bytes that are not used, and "
      .. "each one in those that are",
    "corpus_spec: the software device names an instruction that it does not have, and its line; the module's other "
      .. "kernels run",
    "printf_spec: trap in kernels is found where it was inlined, too",
    "schedule_spec: schedule leaves the results of the whole corpus as they are, in every order and with any number of "
      .. "threads",
    "schedule_spec: schedule comes from the environment too",
    "schedule_spec: schedule makes no difference to the time that events measure",
    "schedule_spec: schedule that cannot go on: threads at two barriers are named, with the line, and whom they wait "
      .. "for",
    "schedule_spec: schedule that cannot go on: blocks that wait for a flag that nobody sets are found before the "
      .. "limit, and the device is lost",
    "schedule_spec: schedule that cannot go on: one endless loop ends at the limit, and says where it was",
    "schedule_spec: schedule that cannot go on: a loop whose stores the compiler removed is no deadlock, and the error "
      .. "says so",
    "schedule_spec: schedule that cannot go on: a loop that changes the memory that it reads runs until the limit",
    "profile_spec: profiles cuda.profile counts instructions, lanes, branches and bytes on the software device",
    "schedule_spec: schedule reports the error of the lowest block, whoever came to its own first",
    "printf_spec: malloc in kernels is checked on the software device: past the end, after free, and freed twice",
    "errors_spec: errors every code of the driver has its class, name and sentence, from calls of each kind",
    "errors_spec: errors each sticky code is told by the call that reports it, and poisons the device",
    "fault_sweep_spec: faults in each driver call of 01_multiply.lua",
    "fault_sweep_spec: faults in each driver call of 02_doublify.lua",
    "fault_sweep_spec: faults in each driver call of 03_image.lua",
    "fault_sweep_spec: faults in each driver call of 04_streams.lua",
    "fault_sweep_spec: faults in each driver call of 05_devices.lua",
    "fault_sweep_spec: faults in each driver call of 06_two_contexts.lua",
    "fault_sweep_spec: faults in each driver call of a program: reduction",
    "fault_sweep_spec: faults in each driver call of a program: scan",
    "fault_sweep_spec: faults in each driver call of a program: sort",
    "fault_sweep_spec: faults in each driver call of a program: unique",
    "fault_sweep_spec: faults in each driver call of a program: counting",
    "fault_sweep_spec: faults in each driver call of a program: random",
    "fault_sweep_spec: faults in each driver call of a program: kernels",
    "fault_sweep_spec: faults in such programs when their kernels are there: the same context goes on",
    "fault_sweep_spec: faults in processes from their start to their end",
    "fault_sweep_spec: faults in each call that gives something back, in a finalizer",
    "lifetime_spec: lifetimes what machine code refers to is let go of before memory is said to be out",
    "event_spec: events cuda.Event:time_since with a driver that has the older form of the call only",
    "event_spec: events events are given back to the driver",
    "graph_nodes_spec: graphs by hand nothing is left behind",
    "graph_conditional_spec: conditional nodes a loop without an end is stopped: by the time limit",
    "graph_conditional_spec: conditional nodes a loop without an end is stopped: by Ctrl-C",
    "graph_conditional_spec: conditional nodes a handle outside of its graph is a fault with a report",
    "graph_spec: graphs cuda.Stream:capture with the driver failing",
    "capture_spec: captures that begin and end cuda.Stream:begin_capture and cuda.Stream:end_capture with the driver "
      .. "failing",
    "stream_spec: streams streams are given back to the driver",
    "streams_order_spec: the order of work in streams: softgpu.streams sets the mode and tells it",
    "streams_order_spec: the order of work in streams: softgpu.streams: deferred work waits, eager work is done, "
      .. "random work is one or the other",
    "streams_order_spec: the order of work in streams: softgpu.runs tells in which order work ran",
    "streams_order_spec: the order of work in streams: a stream that does not wait for another one's event reads "
      .. "stale data",
    "streams_order_spec: the order of work in streams: page-locked memory that is read before its stream is done "
      .. "is stale",
    "streams_order_spec: the order of work in streams: page-locked memory that changes before it has been copied "
      .. "arrives changed",
    "streams_order_spec: the order of work in streams: the default stream does not wait for a non-blocking stream",
    "streams_order_spec: the order of work in streams: a graph reads host memory when it runs, pageable memory too",
    "streams_order_spec: the order of work in streams: branches of a graph that no event orders run in any order",
    "hostile_spec: hostile finalizers that detach or change the current context",
    "lifetime_spec: lifetimes the collector is asked before memory is said to be out",
    "mem_async_spec: stream order cuda.mem_alloc_async takes the current stream where it is given none",
    "mem_async_spec: stream order free goes to the home stream and waits for nothing",
    "mem_async_spec: stream order one event stands for each of the streams that used it",
    "mem_async_spec: stream order streams that the default stream orders need no events",
    "mem_async_spec: stream order an event that cannot be had is replaced by waiting",
    "mem_async_spec: stream order a wait or a free that fails is replaced by waiting here",
    "mem_async_spec: stream order the collector frees at once, in order, without waiting",
    "mem_async_spec: stream order a home stream closed without an event: the queue waits",
    "mem_async_spec: stream order after a sticky error nothing is called any more",
    "pool_spec: pools of device memory a block is handed out at once in its stream, later in another",
    "pool_spec: pools of device memory out of memory: what the pool holds goes first, the largest before the others",
    "pool_spec: pools and a device that starts again are dead",
    "pressure_spec: counting a context that others use as well goes on without our memory",
    "pressure_spec: out of memory once: everything that can go goes, and the allocation is made",
    "pressure_spec: out of memory twice: a MemoryError that says who has the memory",
    "pressure_spec: out of memory goes for stream-ordered allocations and for pools too",
    "pressure_spec: out of memory an unknown amount of free memory is no second error",
    "pressure_spec: out of memory an error in the synchronisation is reported as what it is",
    "pressure_spec: out of memory memory that is only kept serves other allocations",
    "pressure_spec: pacing the collector shrinks with free memory",
    "pressure_spec: finalizers that run in an allocation may take away what the allocation needs",
    "memcpy_spec: copies page-locked sources are read when the copy runs on the software device",
    "memcpy_spec: fills go to the driver as they are named",
    "memcpy_box_spec: structured copies go to the driver as they are named",
    "memcpy_box_spec: structured copies page-locked sources are read when the copy runs, others when it is called",
    "array_spec: arrays go to the driver by the call that their descriptor stands for",
    "gpuarray_count_spec: Counting does not race",
    "gpuarray_reduce_spec: Reductions do not race",
    "gpuarray_scan_spec: Scans do not race",
    "gpuarray_sort_spec: Sorting does not race",
    "hostmem_lifetime_spec: lifetimes of host memory every call of the driver failing once",
    "hostmem_lifetime_spec: lifetimes of host memory what the driver refuses to take back is counted, never raised",
    "lifetime_spec: lifetimes a destroy that the driver refuses is counted, never raised",
    "lt_spec: cuBLASLt's products are those of own kernels, of float32",
    "lt_spec: cuBLASLt's products are those of own kernels, of float64",
    "lt_spec: cuBLASLt's products are those of own kernels, of float16",
    "lt_spec: cuBLASLt's products are those of own kernels, of bfloat16",
    "lt_spec: cuBLASLt's products are those of own kernels, of complex64",
    "lt_spec: cuBLASLt's products are those of own kernels, of complex128",
    "lt_spec: cuBLASLt's products are those of own kernels, of int8",
    "lt_spec: cuBLASLt's products are passed transposed, without copies, as the operands lie in memory",
    "lt_spec: cuBLASLt's products have one call for a batch, with stride 0 for an operand that is repeated, and "
      .. "few for one that cannot be joined",
    "lt_spec: cuBLASLt's products round operands to TF32 only with linalg.precision tensor",
    "lt_spec: cuBLASLt's products are own kernels' under auto where there is no algorithm, and an error under vendor",
    "lt_spec: cuBLASLt's products are taken under auto where they are better, and own kernels where there is no "
      .. "algorithm",
    "lt_spec: cuBLASLt's products that own kernels compute for want of the library are a notice, once",
    "lt_spec: cuBLASLt's products are not asked for where nothing is to be added",
    "lt_spec: cuBLASLt's products that fail raise what the library says, with the shapes, and the next one works",
    "lt_spec: cuBLASLt's products go into a graph, which computes them anew at each launch",
    "lt_spec: cuBLASLt's products are of the values before or after a finalizer's write, wherever that comes",
    "lt_spec: cuBLASLt's products have all operands before or after a finalizer that writes to all of them, also "
      .. "where one was copied",
    "lt_spec: cuBLASLt's products keep no more plans than a few hundred",
    "cufft_spec: cuFFT's transforms are those of own kernels, of complex64",
    "cufft_spec: cuFFT's transforms are those of own kernels, of complex128",
    "cufft_spec: cuFFT's transforms have one call for the last axes, up to three, and read the part of them "
      .. "that is transformed",
    "cufft_spec: cuFFT's transforms of an axis with others behind it have few calls, or go through a copy "
      .. "with that axis last",
    "cufft_spec: cuFFT's transforms of real numbers are R2C and C2R, D2Z and Z2D; what C2R destroys is a copy",
    "cufft_spec: cuFFT's transforms to real numbers ignore the imaginary parts of the elements 0 and n / 2, as NumPy",
    "cufft_spec: cuFFT's transforms are multiplied behind it, by one kernel where they are",
    "cufft_spec: cuFFT's transforms are not asked for where nothing is transformed",
    "cufft_spec: cuFFT's transforms are taken under auto on a GPU; where cuFFT has no plan, own kernels' "
      .. "are, and under vendor that is an error",
    "cufft_spec: cuFFT's transforms that fail raise what the library says, with the lengths, and the next one works",
    "cufft_spec: cuFFT's plans are kept by shape and layout, as many as fft.plan_limit allows, and destroyed "
      .. "behind the last use",
    "cufft_spec: cuFFT's plans are tried once more with all memory that is free, if there is none for them",
    "cufft_spec: cuFFT's plans exist before a graph is captured; the graph has them from then on, also where "
      .. "fft.clear_plans forgets them",
    "cufft_spec: cuFFT's plans are made by the first call of cuda.graph",
    "cufft_spec: cuFFT's plans are used in the stream that a call names, one after the other",
    "cufft_spec: cuFFT's plans of a library that is no longer the one are forgotten",
    "cufft_spec: cuFFT's plans belong to a context, and serve arrays of others by plans of theirs",
    "cufft_spec: a finalizer that transforms, forgets plans and writes, inside of cuFFT's transforms leaves "
      .. "the result as it is: fft.rfft",
    "cufft_spec: a finalizer that transforms, forgets plans and writes, inside of cuFFT's transforms leaves "
      .. "the result as it is: fft.irfft",
    "cufft_spec: a finalizer that transforms, forgets plans and writes, inside of cuFFT's transforms leaves "
      .. "the result as it is: fft.fft in several calls",
    "cufft_spec: a finalizer that transforms, forgets plans and writes, inside of cuFFT's transforms leaves "
      .. "the result as it is: fft.fftn with zeros behind it",
    "cufft_spec: a finalizer that transforms, forgets plans and writes, inside of cuFFT's transforms gives "
      .. "the values before or after its write, wherever that comes",
    "cusparse_spec: cuSPARSE's products with vectors and dense matrices are those of own kernels",
    "cusparse_spec: cuSPARSE's products of sparse matrices are those of own kernels, in order",
    "cusparse_spec: cuSPARSE's products take positions of 64 bits with dense operands, and say that two such "
      .. "matrices cannot be multiplied",
    "cusparse_spec: cuSPARSE's products have positions of the type that their size asks for",
    "cusparse_spec: cuSPARSE's products get the rows without a copy, and values of another order or type "
      .. "gathered or converted",
    "cusparse_spec: cuSPARSE's products see values that were written to m.data",
    "cusparse_spec: cuSPARSE's products are own kernels' where cuSPARSE has none, and an error under vendor",
    "cusparse_spec: cuSPARSE's products that would take more than half of the free memory are own kernels' under auto",
    "cusparse_spec: cuSPARSE's products are not asked for where there is nothing to multiply, for sums, and "
      .. "for packed matrices",
    "cusparse_spec: cuSPARSE's products of two sparse matrices keep their work areas until the result is "
      .. "copied, and free them then",
    "cusparse_spec: cuSPARSE's products that fail raise what the library says, with the shapes, and the next one works",
    "cusparse_spec: cuSPARSE's products destroy their descriptors, also where they fail",
    "cusparse_spec: cuSPARSE's products go into a graph, which computes them anew at each launch; those of "
      .. "two sparse matrices do not",
    "cusparse_spec: cuSPARSE's products need a handle before a capture",
    "cusparse_spec: a finalizer inside of cuSPARSE's products that writes leaves a product with a vector of "
      .. "the values before or after it",
    "cusparse_spec: a finalizer inside of cuSPARSE's products that writes leaves a product with a copied "
      .. "matrix, by values that were gathered, of one time",
    "cusparse_spec: a finalizer inside of cuSPARSE's products that writes leaves a product of two sparse "
      .. "matrices of one time",
    "solver_spec: cuSOLVER's solvers give factors that fit, of float32",
    "solver_spec: cuSOLVER's solvers give factors that fit, of float64",
    "solver_spec: cuSOLVER's solvers give factors that fit, of complex64",
    "solver_spec: cuSOLVER's solvers give factors that fit, of complex128",
    "solver_spec: cuSOLVER's solvers are passed as the other triangle by linalg.cholesky and linalg.eigh, in place",
    "solver_spec: cuSOLVER's solvers are given matrices column by column by linalg.lu, linalg.solve, linalg.qr "
      .. "and linalg.svd",
    "solver_spec: cuSOLVER's solvers are a call for each matrix of a batch, and one call for all right sides of "
      .. "one matrix",
    "solver_spec: cuSOLVER's solvers give the permutation, the determinant and the sign that own kernels give",
    "solver_spec: cuSOLVER's solvers raise what own kernels raise of singular and indefinite matrices, and leave "
      .. "NaN with check = false",
    "solver_spec: cuSOLVER's solvers give NaN for NaN and infinities, without an error, and leave other matrices "
      .. "of the batch alone",
    "solver_spec: cuSOLVER's solvers raise without convergence, and when a call fails, with the shapes; the next "
      .. "one works",
    "solver_spec: cuSOLVER's solvers that small matrices do not need are own kernels' under auto, as all are "
      .. "without the library",
    "solver_spec: cuSOLVER's solvers are an error under vendor if the library is missing",
    "solver_spec: cuSOLVER's solvers go into graphs, if they need not wait: linalg.solve, linalg.cholesky, linalg.qr",
    "solver_spec: cuSOLVER's solvers that wait are refused in captures under vendor, and own kernels' under auto",
    "solver_spec: cuSOLVER's solvers get memory of the host, if they ask for it, but not in a capture",
    "solver_spec: cuSOLVER's solvers are in the order of streams",
    "solver_spec: cuSOLVER's solvers are of the values before or after a finalizer's write, wherever that comes, "
      .. "also one that solves",
    "solver_spec: cuSOLVER's solvers have one handle for a context, and one set of parameters, both given back",
    "linear_layer_spec: linalg.linear is one call of cuBLASLt with an epilogue, if that computes",
    "vendor_spec: linalg.backend vendor needs no other library than the one of the call",
  },
  no_language_server = {
    "editors_spec: lua-language-server completes modules and options, and keeps the types of expressions",
    "editors_spec: lua-language-server has nothing to say against the programs of the manual",
    "editors_spec: lua-language-server has nothing to say against the examples and the addon",
  },
  no_browser = {
    "site_spec: the site in Chromium fits windows of 360 and 1280 pixels, light and dark, and follows its links",
    "site_spec: the site in Chromium searches, without a server",
  },
  no_luv = {
    "luv_spec: luv's event loop is woken by cuda.completion_fd when a kernel is done, and its timers run before",
    "luv_spec: luv's event loop sleeps without a call of the driver until cuda.completion_fd is readable",
  },
  no_tarantool = {
    "tarantool_spec: Tarantool runs other fibers while one waits for a kernel with cuda.completion_fd",
  },
  no_cmark = {
    "site_spec: the site has no link that leads nowhere",
    "site_spec: the site asks nothing of other hosts",
    "site_spec: the site closes what it opens, and has every anchor once",
    "site_spec: the site has a place for every name of docs/contract.lua",
    "site_spec: the site says whose rules each function follows, and resolves every 'as for'",
    "site_spec: the site has words for parameters, options and fields",
    "site_spec: the site has no row in docs/semantics.lua for a name that does not exist",
    "site_spec: the site has an index of the search without dead ends",
  },
}
