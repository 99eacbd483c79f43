-- cuSPARSE's stand-in for the software device, spec/support/sparse_shim.c: it is what CUDALUA_CUSPARSE names in here.
return require "spec.support.stand_in"("cusparse", "cudalua-sparse-shim", "sparse_shim_", "descriptors")
