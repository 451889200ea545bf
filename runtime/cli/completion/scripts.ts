/**
 * Completion scripts for the shells. They contain all words themselves: pressing Tab starts no
 * process, and nothing that was typed is evaluated. Where no `troupe` is installed, a script also
 * defines it as a function that runs this program.
 */
import type { CompletedCommand } from './words.ts'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

export interface CompletionProgram {
  readonly commands: readonly CompletedCommand[]
  /** The command line that starts this program: its words. */
  readonly start: readonly string[]
}

export const completionScript = (shell: Shell, words: CompletionProgram): string =>
  ({ bash: bashScript, zsh: zshScript, fish: fishScript })[shell](words)

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
const startOf = ({ start }: CompletionProgram) => start.map(quoted).join(' ')

/** Top-level names under `''`, verbs under their group, options under the whole path. */
function wordsByPath(
  commands: readonly CompletedCommand[],
): ReadonlyMap<string, readonly string[]> {
  const words = new Map<string, string[]>([['', []]])
  for (const { path, options } of commands) {
    words.get(path.slice(0, -1).join(' '))!.push(path.at(-1)!)
    words.set(
      path.join(' '),
      options.map(({ name }) => `--${name}`),
    )
  }
  return words
}

function bashScript(program: CompletionProgram): string {
  const cases = [...wordsByPath(program.commands)].map(
    ([path, words]) => `    ${quoted(path)}) words=${quoted(words.join(' '))} ;;`,
  )
  const valued = program.commands
    .flatMap(({ options }) => options.filter(({ takesValue }) => takesValue))
    .map(({ name }) => `--${name}`)
  return `# bash completion for troupe: eval "$(npm run -s troupe -- completion bash)"
type troupe >/dev/null 2>&1 || troupe() { ${startOf(program)} "$@"; }
_troupe() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} path='' words='' word
  COMPREPLY=()
  # The value of an option: file names, which bash offers by itself.
  case $previous in ${[...new Set(valued)].join(' | ')}) return ;; esac
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in -*) ;; *) [[ $path == *' '* ]] || path="\${path:+$path }$word" ;; esac
  done
  case $path in
${cases.join('\n')}
    # An argument after a command of one word.
    *) path=\${path%% *}
       case $path in
${[...wordsByPath(program.commands)]
  .filter(([path]) => path !== '' && !path.includes(' '))
  .map(
    ([path, words]) =>
      `         ${quoted(path)}) words=${quoted(words.filter((word) => word.startsWith('-')).join(' '))} ;;`,
  )
  .join('\n')}
       esac ;;
  esac
  local IFS=$' \\n'
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _troupe troupe
`
}

const described = (name: string, about: string) =>
  quoted(`${name.replaceAll(':', '\\:')}:${about.replaceAll('\n', ' ')}`)

function zshScript(program: CompletionProgram): string {
  const { commands } = program
  const top = commands.filter(({ path }) => path.length === 1)
  const verbsOf = (group: string) =>
    commands.filter(({ path }) => path.length === 2 && path[0] === group)
  const namesText = (of: readonly CompletedCommand[]) =>
    of.map(({ path, about }) => described(path.at(-1)!, about)).join(' ')
  const optionsText = ({ options }: CompletedCommand) =>
    options.map(({ name, help }) => described(`--${name}`, help)).join(' ')
  const groups = top.filter(({ path: [name = ''] }) => verbsOf(name).length > 0)
  const single = commands.filter(({ options }) => options.length > 0)
  return `#compdef troupe
# zsh completion for troupe: eval "$(npm run -s troupe -- completion zsh)", after compinit
whence troupe >/dev/null || troupe() { ${startOf(program)} "$@" }
_troupe() {
  local -a found
  if (( CURRENT == 2 )); then
    found=(${namesText(top)})
    _describe command found
    return
  fi
  if (( CURRENT == 3 )); then
    case $words[2] in
${groups.map(({ path: [name = ''] }) => `      ${name}) found=(${namesText(verbsOf(name))}); _describe command found; return ;;`).join('\n')}
    esac
  fi
  if [[ $words[CURRENT] == -* ]]; then
    case "$words[2] $words[3]" in
${single.map((command) => `      ${quoted(command.path.join(' '))}${command.path.length === 1 ? "' '*" : ''}) found=(${optionsText(command)}) ;;`).join('\n')}
    esac
    _describe option found
  else
    _files
  fi
}
(( $+functions[compdef] )) && compdef _troupe troupe
`
}

function fishScript(program: CompletionProgram): string {
  const { commands } = program
  const start = program.start.map((word) => `'${word.replaceAll(/['\\]/g, '\\$&')}'`).join(' ')
  const text = (about: string) => `'${about.replaceAll(/['\\]/g, '\\$&').replaceAll('\n', ' ')}'`
  const lines = commands.flatMap(({ path, about, options }) => {
    const [name = '', verb] = path
    const under = verb === undefined ? `__troupe_at 1 ''` : `__troupe_at 2 ${name}`
    const here = `__troupe_in ${path.join(' ')}`
    return [
      `complete -c troupe -n "${under}" -f -a ${verb ?? name} -d ${text(about)}`,
      ...options.map(
        (option) =>
          `complete -c troupe -n "${here}" -l ${option.name} -d ${text(option.help)}${option.takesValue ? ' -r' : ''}`,
      ),
    ]
  })
  return `# fish completion for troupe: npm run -s troupe -- completion fish | source
type -q troupe; or function troupe; ${start} $argv; end
function __troupe_at
    set -l words (commandline -opc)
    test (count $words) -eq $argv[1]; and begin; test $argv[1] -eq 1; or test "$words[2]" = $argv[2]; end
end
function __troupe_in
    set -l words (commandline -opc)
    test (count $words) -gt (count $argv); or return 1
    for n in (seq (count $argv))
        contains -- $argv[$n] $words[(math $n + 1)]; or return 1
    end
end
${lines.join('\n')}
`
}
