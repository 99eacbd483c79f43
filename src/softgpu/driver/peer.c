/* Peer access: which memory of other devices the kernels of a context may use. Copies need none. */
#include "driver/drv.h"

/* What every device can reach, what is its own, and what its context was given access to. */
bool sg_may_use(const void *context, const SgAlloc *a) {
  const SgContext *ctx = context;
  if (sg_is_pooled(a)) return sg_pool_open_to(a, ctx->device);
  if (a->device == ctx->device || sg_is_pinned(a) || a->kind == SG_MANAGED) return true;
  for (unsigned i = 0; i < ctx->peers; i++)
    if (ctx->peer[i] == a->owner) return true;
  return false;
}

/* --- exported: peer access, from the current context to the memory of another one --- */

static bool context_alive(uint64_t id) {
  for (const SgContext *c = sg_state.contexts; c; c = c->next)
    if (c->o.id == id) return true;
  return false;
}

/* The place of a peer in the list, which first loses those that are gone; ctx->peers: it is not there. */
static unsigned peer_place(SgContext *ctx, uint64_t id) {
  unsigned kept = 0, place;
  for (unsigned i = 0; i < ctx->peers; i++)
    if (context_alive(ctx->peer[i])) ctx->peer[kept++] = ctx->peer[i];
  ctx->peers = kept;
  for (place = 0; place < kept && ctx->peer[place] != id; place++) {}
  return place;
}

static CUresult peer_enable(CUcontext handle, unsigned flags) {
  CUresult code;
  SgContext *ctx = sg_ctx(), *peer = sg_ctx_get(handle, &code);
  if (flags) return CUDA_ERROR_INVALID_VALUE;
  if (!peer) return code;
  if (peer->device == ctx->device || !sg_config.peers) return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
  if (peer_place(ctx, peer->o.id) < ctx->peers) return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  if (ctx->peers == SG_MAX_PEERS) return CUDA_ERROR_TOO_MANY_PEERS;
  ctx->peer[ctx->peers++] = peer->o.id;
  return CUDA_SUCCESS;
}

SG_API CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags) {
  SG_CALL(SG_NEED_CONTEXT, peer_enable(peerContext, Flags), "peer=0x%llx flags=%u", SG_X(peerContext), Flags);
}

/* Kernels that were launched before still have it: their work is done first. */
static CUresult peer_disable(CUcontext handle) {
  CUresult code;
  SgContext *ctx = sg_ctx(), *peer = sg_ctx_get(handle, &code);
  if (!peer) return code;
  uint64_t id = peer->o.id;
  if (peer_place(ctx, id) == ctx->peers) return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
  sg_drain(ctx);
  ctx = sg_current(&code); /* a host function may have let another thread in */
  if (!ctx) return code;
  unsigned place = peer_place(ctx, id);
  if (place < ctx->peers) ctx->peer[place] = ctx->peer[--ctx->peers];
  return sg_health(ctx);
}

SG_API CUresult cuCtxDisablePeerAccess(CUcontext peerContext) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, peer_disable(peerContext), "peer=0x%llx", SG_X(peerContext));
}
