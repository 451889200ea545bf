/**
 * Goal: the node agent takes its time from the clock that it was given. Method: read every line of
 * its sources but those of `in-page/`, which run in pages, and of `egress/`, a program of its own.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../../runtime/lib/package.ts'

const ownTime =
  /(?<![.\w])(?:setTimeout|setInterval|systemClock)\b|\b(?:Date|performance)\.now\b|\bnew Date\(\)|\bAbortSignal\.timeout\b|\bnode:timers\b/

const isComment = (line: string) => /^(\/?\*|\/\/)/.test(line)

const lines = readdirSync(join(packageRoot, 'node-agent'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !/^(in-page|egress)\//.test(name))
  .map((name) => join('node-agent', name))
  .flatMap((path) =>
    readFileSync(join(packageRoot, path), 'utf8')
      .split('\n')
      .map((line) => ({ path, line: line.trim() })),
  )

const found = lines
  .filter(({ line }) => !isComment(line) && ownTime.test(line))
  .map(({ path, line }) => `${path}: ${line}`)

t.test('each way to another time is recognised', async (t) => {
  const uses = [
    'setTimeout(done, 5)',
    'const timer = setInterval(look, 5)',
    "import { setTimeout as pause } from 'node:timers/promises'",
    'createdAtMs: Date.now()',
    'performance.now() + 5',
    'new Date().getTime()',
    'signal: AbortSignal.timeout(5)',
    'clock = systemClock',
  ]
  t.same(
    uses.filter((line) => !ownTime.test(line)),
    [],
  )
  const others = [
    'socket.setTimeout(0)',
    'new Date(atMs)',
    'clock.now()',
    'this.#clock.monotonic()',
  ]
  t.same(
    others.filter((line) => ownTime.test(line)),
    [],
  )
})

t.test('the node agent uses no time but that of its clock', async (t) => {
  t.ok(lines.length > 1_000, 'its sources are found')
  t.same(found, [], 'use the clock of what is at hand (`cdp.clock`, `tab.clock`)')
})
