-- The scans, as data: what becomes of each element and all before it. Each is a function of gpuarray and a method
-- (scan.lua).
--
-- A row is {name, reduction, nan}; the reduction of reductions.lua gives the last one of the values, and the types.
-- `nan`, if it is there, is what a NaN counts as. Above a row stands its documentation, as a comment of three dashes;
-- the parameters, results and errors follow from the reduction. ./dev generate makes annotations and lists of names of
-- that.

return {
  ---The cumulative sum: integers are summed in 64 bits, float16 and bfloat16 as float32, each sum rounded once. The
  ---order of the additions depends only on the shape, the axis and the dtype.
  { "cumsum", "sum" },
  ---The cumulative sum as cumsum() computes it, with NaN counted as 0.
  { "nancumsum", "sum", nan = 0 },
  ---The cumulative product, computed in the types of cumsum().
  { "cumprod", "prod" },
  ---The cumulative maximum; NaN from the first NaN on.
  { "cummax", "max" },
  ---The cumulative minimum; NaN from the first NaN on.
  { "cummin", "min" },
}
