/** The clipboard of a display as another program sees it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import type { XAddress } from '../../../node-agent/input/x11/display-connection.ts'
import { until } from '../lib/until.ts'
import { xProgram } from './x-program.ts'

function xclip(
  display: XAddress,
  args: readonly string[],
  stdio: ['ignore' | 'pipe', 'ignore' | 'pipe'],
) {
  const { prefix, env } = xProgram(display)
  const [command, ...rest] = [...prefix, 'xclip', '-selection', 'clipboard', ...args]
  return spawn(command!, rest, { env, stdio: [...stdio, 'ignore'] })
}

/** Empty when there is no content in that format. */
export async function xclipRead(display: XAddress, target = 'UTF8_STRING'): Promise<string> {
  const child = xclip(display, ['-o', '-t', target], ['ignore', 'pipe'])
  return (await buffer(child.stdout!)).toString()
}

/** Owns the clipboard until another program takes it; the process ends then. */
export async function xclipWrite(display: XAddress, text: string, target = 'UTF8_STRING') {
  const child = xclip(display, ['-i', '-t', target], ['pipe', 'ignore'])
  child.stdin!.end(text)
  await once(child, 'close')
  // xclip takes the clipboard from the background.
  await until('xclip has it', async () => (await xclipRead(display, target)) === text)
}
