#compdef cudalua
# Completion of cudalua(1) for zsh.

_cudalua() {
  local context state state_descr line curcontext=$curcontext
  typeset -A opt_args
  _arguments -C \
    '*-e[run a line of Lua]:code:' \
    '*-l[require a module]:module:' \
    '-i[prompt after the script or the lines]' \
    '-E[ignore LUA_PATH, LUA_CPATH and LUA_INIT]' \
    '-O-[optimizer]:level:' \
    '-j[command of LuaJIT]:command:(on off flush v dump p)' \
    '-b[save or list bytecode]' \
    '(-v --version)'{-v,--version}'[versions]' \
    '(-h --help)'{-h,--help}'[summary]' \
    '1: :->first' \
    '*:: :->rest' && return
  case $state in
    first)
      local -a commands=(
        'setup:bring the compiler of NVIDIA if it is missing, and run a kernel'
        'build:a folder with a program, its modules, the library and its kernels'
        'run:a program as several processes with a device each'
        'info:driver, devices, NVRTC'
        'env:the search paths for any LuaJIT'
        'help:summary'
      )
      _describe -t commands command commands
      _files
      ;;
    rest)
      case $line[1] in
        setup)
          _arguments '--user[install for this user]' '--check[look and run a kernel]' \
            '--list[which files to bring over]' '--remove[remove what setup has installed]' '--help[summary]' '*:wheels:_files'
          ;;
        build)
          _arguments '-o[what is written]:folder:_files -/' '--arch[devices to compile for]:list:' \
            '*--add[also copy]:path:_files' '*--also[run once more with]:arguments:' '--help[summary]' '*:program:_files'
          ;;
        run)
          _arguments '-n[the number of processes]:number:' '--grace[seconds for the others after an error]:seconds:' \
            '*-l[require a module]:module:' '*-e[run a line of Lua]:code:' '--help[summary]' '*:program:_files'
          ;;
        info | env | help) ;;
        *) _files ;;
      esac
      ;;
  esac
}

_cudalua "$@"
