/**
 * The stage `upgrade`: builds the earlier version that `last-version.txt` names, from this
 * repository's history, and runs the test of upgrades from it.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageRoot } from '../../runtime/lib/package.ts'

const commit = readFileSync(join(packageRoot, 'test/nightly/last-version.txt'), 'utf8').trim()
const folder = mkdtempSync(join(tmpdir(), 'last-version-'))
const git = (...args: string[]) => execFileSync('git', ['-C', packageRoot, ...args])
const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd: folder, stdio: 'inherit' })
try {
  git('worktree', 'add', '--detach', '--force', folder, commit)
  symlinkSync(join(packageRoot, 'node_modules'), join(folder, 'node_modules'))
  run(process.execPath, join(packageRoot, 'node_modules/typescript/bin/tsc'), '-b')
  run(process.execPath, 'runtime/deploy/bundle.js')
  const tests = fileURLToPath(new URL('../run.js', import.meta.url))
  const env = { ...process.env, UPGRADE_FROM: join(folder, 'dist/bundle/troupe.js') }
  const { status } = spawnSync(process.execPath, [tests, 'cluster/upgrade'], {
    env,
    stdio: 'inherit',
  })
  process.exitCode = status ?? 1
} finally {
  git('worktree', 'remove', '--force', folder)
  rmSync(folder, { recursive: true, force: true })
}
