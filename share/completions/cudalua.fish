# Completion of cudalua(1) for fish.

set -l commands setup build run info env help
set -l first "not __fish_seen_subcommand_from $commands"

complete -c cudalua -n $first -a setup -d 'bring the compiler of NVIDIA if it is missing, and run a kernel'
complete -c cudalua -n $first -a build -d 'a folder with a program, its modules, the library and its kernels'
complete -c cudalua -n $first -a run -d 'a program as several processes with a device each'
complete -c cudalua -n $first -a info -d 'driver, devices, NVRTC'
complete -c cudalua -n $first -a env -d 'the search paths for any LuaJIT'
complete -c cudalua -n $first -a help -d 'summary'
complete -c cudalua -n $first -s e -x -d 'run a line of Lua'
complete -c cudalua -n $first -s l -x -d 'require a module'
complete -c cudalua -n $first -s i -d 'prompt after the script or the lines'
complete -c cudalua -n $first -s E -d 'ignore LUA_PATH, LUA_CPATH and LUA_INIT'
complete -c cudalua -n $first -s O -d 'optimizer'
complete -c cudalua -n $first -s j -x -a 'on off flush v dump p' -d 'command of LuaJIT'
complete -c cudalua -n $first -s b -d 'save or list bytecode'
complete -c cudalua -n $first -s v -l version -d 'versions'
complete -c cudalua -n $first -s h -l help -d 'summary'

complete -c cudalua -n '__fish_seen_subcommand_from setup' -l user -d 'install for this user'
complete -c cudalua -n '__fish_seen_subcommand_from setup' -l check -d 'look and run a kernel'
complete -c cudalua -n '__fish_seen_subcommand_from setup' -l list -d 'which files to bring over'
complete -c cudalua -n '__fish_seen_subcommand_from setup' -l remove -d 'remove what setup has installed'
complete -c cudalua -n '__fish_seen_subcommand_from build' -s o -r -d 'what is written'
complete -c cudalua -n '__fish_seen_subcommand_from build' -l arch -x -d 'devices to compile for'
complete -c cudalua -n '__fish_seen_subcommand_from build' -l add -r -d 'also copy'
complete -c cudalua -n '__fish_seen_subcommand_from build' -l also -x -d 'run once more with these arguments'
complete -c cudalua -n '__fish_seen_subcommand_from run' -s n -x -d 'the number of processes'
complete -c cudalua -n '__fish_seen_subcommand_from run' -l grace -x -d 'seconds for the others after an error'
complete -c cudalua -n '__fish_seen_subcommand_from run' -s l -x -d 'require a module'
complete -c cudalua -n '__fish_seen_subcommand_from run' -s e -x -d 'run a line of Lua'
complete -c cudalua -n '__fish_seen_subcommand_from setup build run' -l help -d 'summary'
complete -c cudalua -n '__fish_seen_subcommand_from info env help' -f
