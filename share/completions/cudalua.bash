# Completion of cudalua(1) for bash.

_cudalua() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command='' i
  COMPREPLY=()
  case $before in
    -e | -l | -n | --arch | --also) return ;;
    -o | --add) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      -e | -l | -j) ((i++)) || true ;;
      -*) ;;
      *) command=${COMP_WORDS[i]}; break ;;
    esac
  done
  local words=''
  case $command in
    '') words='setup build run info env help -e -l -i -E -O -j -b -v --version -h --help --' ;;
    setup) words='--user --check --list --remove --help' ;;
    build) words='-o --arch --add --also --help --' ;;
    run) words='-n --grace -l -e --help' ;;
    info | env | help) return ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  compopt -o filenames
  if [[ $word != -* ]]; then
    local files
    mapfile -t files < <(compgen -f -- "$word")
    COMPREPLY+=("${files[@]}")
  fi
}

complete -F _cudalua cudalua
