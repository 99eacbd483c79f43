-- PyCUDA's name of cudalua.random.
return require "cudalua.random"
