-- cuFFT's stand-in for the software device, spec/support/fft_shim.c: it is what CUDALUA_CUFFT names in here.
return require "spec.support.stand_in"("cufft", "cudalua-fft-shim", "fft_shim_", "plans")
