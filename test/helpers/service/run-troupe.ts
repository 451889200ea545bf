/** Runs a command of `troupe` to its end. */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { troupe } from './service.ts'

export interface Run {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** `input` is piped into the command. Of the caller's environment it gets PATH only. */
export async function runTroupe(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input = '',
  cwd = process.cwd(),
): Promise<Run> {
  const child = spawn(process.execPath, [troupe, ...args], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: 'pipe',
  })
  const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? -1)))
  // A command that ends without reading closes the pipe before we do.
  child.stdin.on('error', () => undefined).end(input)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await ended, stdout, stderr }
}
