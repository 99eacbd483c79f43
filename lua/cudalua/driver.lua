-- PyCUDA's name of the whole module.
return require "cudalua"
