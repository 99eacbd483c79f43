"""The same calls by torch.distributed: one process for each GPU, as `./dev bench distributed` starts them."""
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def measure(rank, size, name, run, nbytes, rounds):
    times = max(3, min(500, 2**32 // nbytes))
    for _ in range(max(3, times // 10)):
        run()
    torch.cuda.synchronize()
    host, whole = [], []
    for _ in range(rounds):
        dist.barrier()
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(times):
            run()
        host.append((time.perf_counter() - start) / times * 1e6)
        torch.cuda.synchronize()
        whole.append((time.perf_counter() - start) / times * 1e6)
    if rank == 0:
        host.sort()
        whole.sort()
        half = rounds // 2
        print(f"{name:11} {nbytes // 1024:8} KiB  torch {whole[half]:9.2f} us (host {host[half]:6.2f})", flush=True)


def worker(rank, size, rounds):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29517", RANK=str(rank), WORLD_SIZE=str(size))
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
    sizes = [2**10, 2**14, 2**18, 2**22, 2**26, 2**30]
    for nbytes in sizes:
        n = nbytes // 4
        a = torch.ones(n, device="cuda")
        measure(rank, size, "all_reduce", lambda: dist.all_reduce(a), nbytes, rounds)
    for nbytes in sizes:
        n = nbytes // 4
        a, b = torch.ones(n // size, device="cuda"), torch.empty(n, device="cuda")
        measure(rank, size, "all_gather", lambda: dist.all_gather_into_tensor(b, a), nbytes, rounds)
    for nbytes in sizes:
        n = nbytes // 4
        a, b = torch.ones(n, device="cuda"), torch.empty(n, device="cuda")
        measure(rank, size, "all_to_all", lambda: dist.all_to_all_single(b, a), nbytes, rounds)
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ.setdefault("NCCL_NVLS_ENABLE", "0")
    count = int(sys.argv[1])
    mp.spawn(worker, args=(count, int(sys.argv[2])), nprocs=count)
