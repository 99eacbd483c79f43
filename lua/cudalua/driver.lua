return require "cudalua" -- the name that PyCUDA users look for: cudalua.driver
