import { loadConfig } from '../config.ts'
import type { Command } from './command.ts'
import { checks, type Finding } from './doctor-checks.ts'
import { Screen } from './screen.ts'

export const doctor: Command = {
  usage: 'doctor',
  about: 'Check whether this machine can run Troupe, and say how to fix problems.',
  settings: ['PORT', 'HOST', 'DATA_DIR', 'CHROMIUM_BIN', 'NATS_SERVER_BIN', 'NATS_URL'],
  examples: ['troupe doctor && troupe up'],
  async run() {
    const config = loadConfig()
    const screen = new Screen()
    let failed = 0
    for (const [name, check] of Object.entries(checks)) {
      screen.progress(name, 'looking')
      const finding = await check(config).catch(unexpected)
      if (finding.state === 'fail') failed++
      show(screen, name, finding)
    }
    screen.text(['', failed === 0 ? 'This machine can run Troupe.' : `${failed} to fix first.`])
    return failed === 0 ? 0 : 1
  },
}

function unexpected(error: unknown): Finding {
  const { message } = error as Error
  return { state: 'fail', found: message.split('\n')[0]!, mend: '' }
}

function show(screen: Screen, name: string, finding: Finding): void {
  const { state, found } = finding
  if (state === 'ok') return screen.done(name, found)
  const text = finding.mend === '' ? found : `${found} – ${finding.mend}`
  if (state === 'warn') screen.trouble(name, text)
  else screen.failed(name, text)
}
