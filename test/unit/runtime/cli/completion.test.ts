// Goal: Tab completes commands, verbs and options. Method: the script is loaded in a real bash, which
// is asked for completions as when a person presses Tab, and so are zsh and fish where they are.
import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { runTroupe } from '../../../helpers/service/run-troupe.ts'

const run = promisify(execFile)
const scriptOf = async (shell: string) => {
  const { code, stdout, stderr } = await runTroupe(['completion', shell])
  if (code !== 0) throw new Error(stderr)
  return stdout
}

const bash = await scriptOf('bash')

/** What bash offers after these words; the last may be empty. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const line = `set -u; COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _troupe; printf '%s\\n' "\${COMPREPLY[@]:-}"`
  const { stdout } = await run('/bin/bash', [
    '--norc',
    '-c',
    `${bash}\n${line}`,
    'bash',
    'troupe',
    ...words,
  ])
  return stdout.split('\n').filter((word) => word !== '')
}

t.test('commands, verbs and options are offered', async (t) => {
  t.same(await offered('sess'), ['sessions'])
  const ofSessions = ['list', 'show', 'events', 'open', 'state', 'save', 'share', 'end']
  t.same(await offered('sessions', ''), ofSessions)
  t.same(await offered('sessions', 'list', '--al'), ['--all-tenants'])
  t.same(await offered('tasks', 'run', 'a goal', '--sche'), ['--schema'])
  t.same(await offered('up', '--'), ['--help'])
  t.same(await offered('watch', 'tsk_1', '--j'), ['--json'])
  t.ok((await offered('')).includes('doctor'))
})

t.test('a value is left to the shell, and nothing that was typed is evaluated', async (t) => {
  t.same(await offered('tasks', 'run', '--schema', ''), [])
  t.same(await offered('$(echo sessions)', ''), [])
  t.same(await offered('sessions', '`echo list`', '$(touch'), [])
})

t.test(
  'loaded again, it does not complain, and it defines the command where none is',
  async (t) => {
    const twice = `${bash}\n${bash}\ntype -t troupe\ntroupe version`
    const { stdout, stderr } = await run('/bin/bash', ['--norc', '-c', twice], {
      env: { PATH: '/usr/bin:/bin' },
    })
    t.equal(stderr, '')
    t.match(stdout, /^function\n\d+\.\d+\.\d+/)
  },
)

t.test('zsh and fish get the same words, with what they mean', async (t) => {
  const zsh = await scriptOf('zsh')
  t.match(zsh, `sessions) found=('list:List your sessions, the newest first.'`)
  t.match(zsh, `'--all-tenants:`)
  const fish = await scriptOf('fish')
  t.match(fish, `-n "__troupe_at 2 sessions" -f -a list -d 'List your sessions, the newest first.'`)
  t.match(
    fish,
    `-n "__troupe_in tasks run" -l schema -d 'A file with a JSON Schema for the result.' -r`,
  )
})

/** What zsh offers after these words: its `_describe` is replaced, which works in a terminal only. */
const inZsh = `eval "$SCRIPT"; _describe() { print -rl -- \${(P)2} }; _files() { }
words=("$@"); CURRENT=$#; _troupe`
const inFish = 'echo $SCRIPT | source; complete -C "$argv"'

for (const { shell, flags, ask } of [
  { shell: 'zsh', flags: ['-f', '-c'], ask: (line: string) => [inZsh, 'zsh', ...line.split(' ')] },
  { shell: 'fish', flags: ['--no-config', '-c'], ask: (line: string) => [inFish, line] },
] as const) {
  const skip = spawnSync(shell, ['--version']).status === 0 ? false : `there is no ${shell} here`
  t.test(`in a real ${shell}`, { skip }, async (t) => {
    const env = { ...process.env, SCRIPT: await scriptOf(shell) }
    const offeredBy = async (line: string) => {
      const { stdout, stderr } = await run(shell, [...flags, ...ask(line)], { env })
      t.equal(stderr, '')
      return stdout.split('\n').filter(Boolean)
    }
    const has = async (line: string, word: RegExp) =>
      t.ok(
        (await offeredBy(line)).some((offer) => word.test(offer)),
        `${line} → ${word}`,
      )
    await has('troupe s', /^sessions[:\t]/)
    await has('troupe sessions ', /^list[:\t]List your sessions/)
    await has('troupe sessions list --', /^--all-tenants[:\t]/)
    await has('troupe tasks run goal --', /^--schema[:\t]/)
    await has('troupe doctor --', /^--help[:\t]/)
    t.notOk((await offeredBy('troupe sessions list --')).some((one) => one.startsWith('--schema')))
  })
}

t.test('another shell is refused with those that there are', async (t) => {
  t.match(await runTroupe(['completion', 'tcsh']), {
    code: 2,
    stderr: /"tcsh" is not one of bash, zsh, fish/,
  })
})
