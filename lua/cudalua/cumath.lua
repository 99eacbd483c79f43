-- PyCUDA's name of cudalua.math.
return require "cudalua.math"
