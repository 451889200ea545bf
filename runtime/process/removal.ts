/**
 * Removes folders that an untrusted program has filled. `rm` goes from descriptor to descriptor, so
 * no path is too long for it and no link leads it elsewhere; Node's own removal fails beyond 4,096
 * bytes of path, and at names that are no text.
 */
import { finished } from 'node:stream/promises'
import { removalScript } from './guard-script.ts'
import { spawnGuarded, type Guard } from './guard.ts'
import { processLimits } from './limits.ts'

/** Rejects with the reason; what is gone already is no error. */
export async function removeFolders(guard: Guard, key: string, paths: readonly string[]) {
  const script = `for path; do ${removalScript} || exit; done`
  const { child, exited } = spawnGuarded(guard, '/bin/sh', ['-c', script, 'sh', ...paths], {
    ...{ key, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] },
  })
  let said = ''
  child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
    said = (said + chunk).slice(-processLimits.removalErrorChars)
  })
  // The stream breaks if the shell could not be started, which `exited` tells.
  const [{ code, signal, error }] = await Promise.all([
    exited,
    finished(child.stderr!).catch(() => undefined),
  ])
  if (code !== 0) throw new Error(`rm ended with ${signal ?? code}: ${said}`, { cause: error })
}
