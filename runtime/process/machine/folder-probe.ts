/**
 * Checks in another process whether a folder is usable: a network file system that does not answer
 * blocks every process that accesses it, without end.
 */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { containedChild } from '../../lib/network/contained.ts'
import { settleWithin, systemClock } from '../../lib/clock.ts'
import { processLimits } from '../limits.ts'

/** Creates a folder in the nearest one that exists, and removes it again. */
const script =
  'd=$1; while [ ! -e "$d" ]; do d=$(dirname -- "$d"); done; ' +
  't=$(mktemp -d -- "$d/.troupe-XXXXXXXX") && rmdir -- "$t"'

/** Why nothing can be created in the folder; undefined if it can be used. */
export async function folderProblem(folder: string): Promise<string | undefined> {
  const child = containedChild(
    spawn('sh', ['-c', script, 'sh', folder], { stdio: ['ignore', 'ignore', 'pipe'] }),
  )
  const said = text(child.stderr).catch(() => '')
  const ended = new Promise<number>((resolve) => {
    child.once('exit', (code) => resolve(code ?? 1))
    child.once('error', () => resolve(1))
  })
  let code: number | undefined
  await settleWithin(
    systemClock,
    processLimits.folderProbeMs,
    ended.then((value) => (code = value)),
  )
  if (code === undefined) {
    child.kill('SIGKILL')
    child.stderr.destroy()
    // A process that waits for a disk cannot be killed; ours does not wait for it.
    child.unref()
    return `it does not answer within ${processLimits.folderProbeMs / 1_000} s`
  }
  if (code === 0) return undefined
  return (await said).trim().split(': ').at(-1) || 'nothing can be created in it'
}
