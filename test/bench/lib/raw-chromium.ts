/** Chromium without any service: the baseline of the figures. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface RawChromium {
  readonly pid: number
  readonly wsUrl: string
  close(): Promise<void>
}

const flags = [
  '--headless=new',
  '--no-sandbox',
  '--remote-debugging-port=0',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
  '--disable-default-apps',
  '--window-size=1440,900',
]

export async function startRawChromium(): Promise<RawChromium> {
  const profile = mkdtempSync(join(tmpdir(), 'troupe-bench-'))
  const child = spawn('chromium', [...flags, `--user-data-dir=${profile}`, 'about:blank'], {
    detached: true,
    env: { ...process.env, TMPDIR: profile },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const wsUrl = await new Promise<string>((resolve, reject) => {
    createInterface(child.stderr).on('line', (text) => {
      const url = /DevTools listening on (ws:\S+)/.exec(text)?.[1]
      if (url) resolve(url)
    })
    child.once('exit', (code) => reject(new Error(`chromium exited with ${code}`)))
  })
  return {
    pid: child.pid!,
    wsUrl,
    async close() {
      process.kill(-child.pid!, 'SIGKILL')
      await exited
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
