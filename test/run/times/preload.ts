/**
 * Loaded first into every Node process of a run with `--times`: writes down, a line each in the
 * file that TEST_TIMES_FILE names, which programs the process starts, and what the test file has
 * used of the CPU. A child that gets an environment of its own gets this as well.
 */
import { ChildProcess } from 'node:child_process'
import { appendFileSync, readFileSync } from 'node:fs'

interface SpawnOptions {
  readonly args: readonly string[]
  envPairs: string[]
}
type Spawn = (this: ChildProcess, options: SpawnOptions) => unknown

/** The kernel's unit for times in /proc, on every Linux that Node runs on. */
const ticksPerSecond = 100
const charsOfCommand = 4_000
const handedOn = ['TEST_TIMES_FILE', 'NODE_OPTIONS']
const file = process.env['TEST_TIMES_FILE']

/** What this process has used, with all children that have ended, in seconds. */
function cpuSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // utime, stime, cutime and cstime of proc_pid_stat(5).
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return ticks / ticksPerSecond
}

/** The method through which all asynchronous functions of node:child_process start a program. */
const methods = ChildProcess.prototype as unknown as { spawn: Spawn }
const spawn = methods.spawn

if (file !== undefined) {
  methods.spawn = function (options) {
    const command = options.args.join(' ').replaceAll('\n', ' ').slice(0, charsOfCommand)
    appendFileSync(file, `program ${command}\n`)
    const missing = handedOn.filter(
      (name) => !options.envPairs.some((p) => p.startsWith(name + '=')),
    )
    options.envPairs.push(...missing.map((name) => `${name}=${process.env[name]}`))
    return spawn.call(this, options)
  }
  if (process.env['TEST_TIMES_OF'] !== undefined) {
    delete process.env['TEST_TIMES_OF']
    process.on('exit', () => appendFileSync(file, `cpu ${cpuSeconds()}\n`))
  }
}
