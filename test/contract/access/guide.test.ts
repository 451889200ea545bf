/**
 * Goal: gateway/access/first-engagement.md runs unchanged, and its results are those its comments
 * promise. Method: its blocks in order, in one shell, against a service as a user starts it.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { packageRoot } from '../../../runtime/lib/package.ts'
import { startService, troupe } from '../../helpers/service/service.ts'

const guide = readFileSync(join(packageRoot, 'gateway/access/first-engagement.md'), 'utf8')
const blocks = [...guide.matchAll(/```sh\n(.*?)```/gs)].map((match) => match[1]!)

const service = await startService()
t.teardown(() => service.stop())
const folder = mkdtempSync(join(tmpdir(), 'troupe-guide-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

/** Stands for npm in a clone, because the shell's folder is not a clone. */
function npm(): void {
  const words = ['while [ "$1" != -- ]; do shift; done', 'shift']
  const lines = ['#!/bin/sh', ...words, `exec '${process.execPath}' '${troupe}' "$@"`, '']
  writeFileSync(join(folder, 'npm'), lines.join('\n'), { mode: 0o755 })
}

async function run(script: string): Promise<string> {
  const { baseUrl, dataDir } = service
  const child = spawn('sh', ['-eu'], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      PATH: `${folder}:${process.env['PATH']}`,
      ...{ base: baseUrl, SVC_BASE: baseUrl, DATA_DIR: dataDir },
    },
  })
  child.stdin.end(script)
  return text(child.stdout)
}

t.test('the guide runs, and each step answers as the guide says', async (t) => {
  t.equal(spawnSync('curl', ['--version']).status, 0, 'setup brings curl for it')
  npm()
  const printed = (await run(blocks.join('\n'))).trim().split('\n')
  const told = printed.map((line) => (line.startsWith('{') ? (JSON.parse(line) as object) : line))
  t.match(told, [
    'active',
    'active',
    { error: { code: 403, type: 'self_review' } },
    /^1 records imported/,
    { data: [{ title: 'Photograph the autumn range' }] },
    { data: { permissions: [{ area: 'tasks', actions: ['read'] }] } },
    { error: { code: 403, type: 'insufficient_scope' } },
    'revoked',
    { error: { code: 401, type: 'invalid_token' } },
    { data: [{}, {}, {}] },
  ])
})
