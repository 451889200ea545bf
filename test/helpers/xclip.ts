/** The clipboard of a display as another program sees it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import type { XAddress } from '../../node-agent/input/display-connection.ts'
import { until } from './until.ts'

const args = ({ number }: XAddress) => ['-display', `:${number}`, '-selection', 'clipboard']
const env = ({ authority }: XAddress) => ({ ...process.env, XAUTHORITY: authority })

/** Empty when there is no content in that format. */
export async function xclipRead(display: XAddress, target = 'UTF8_STRING'): Promise<string> {
  const child = spawn('xclip', [...args(display), '-o', '-t', target], {
    env: env(display),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return (await buffer(child.stdout)).toString()
}

/** Owns the clipboard until another program takes it; the process ends then. */
export async function xclipWrite(display: XAddress, text: string, target = 'UTF8_STRING') {
  const child = spawn('xclip', [...args(display), '-i', '-t', target], {
    env: env(display),
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.stdin.end(text)
  await once(child, 'close')
  // xclip takes the clipboard from the background.
  await until('xclip has it', async () => (await xclipRead(display, target)) === text)
}
