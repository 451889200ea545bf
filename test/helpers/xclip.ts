/** The clipboard of a display as another program sees it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { until } from './until.ts'

const args = (display: number) => ['-display', `:${display}`, '-selection', 'clipboard']

/** Empty when nothing is there in that form. */
export async function xclipRead(display: number, target = 'UTF8_STRING'): Promise<string> {
  const child = spawn('xclip', [...args(display), '-o', '-t', target], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return (await buffer(child.stdout)).toString()
}

/** Owns the clipboard until somebody else does, in a process that ends then. */
export async function xclipWrite(display: number, text: string, target = 'UTF8_STRING') {
  const child = spawn('xclip', [...args(display), '-i', '-t', target], {
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.stdin.end(text)
  await once(child, 'close')
  // It goes on in the background, and takes the clipboard there.
  await until('xclip has it', async () => (await xclipRead(display, target)) === text)
}
