import { loadConfig } from '../../config/config.ts'
import type { CliCommand } from '../command.ts'
import { doctorChecks, type CheckResult } from './doctor-checks.ts'
import { TerminalScreen } from '../terminal/screen.ts'

export const doctorCommand: CliCommand = {
  usage: 'doctor',
  about: 'Check whether this machine can run Troupe, and say how to fix problems.',
  settings: ['PORT', 'HOST', 'DATA_DIR', 'CHROMIUM_BIN', 'NATS_SERVER_BIN', 'NATS_URL'],
  examples: ['troupe doctor && troupe up'],
  async run() {
    const screen = new TerminalScreen()
    const found = await examine({
      begins: (name) => screen.progress(name, 'looking'),
      ends: ({ name, finding }) => show(screen, name, finding),
    })
    const failed = found.filter(({ finding }) => finding.state === 'fail').length
    screen.text([
      '',
      failed === 0 ? 'This machine can run Troupe.' : `Problems to fix first: ${failed}.`,
    ])
    return failed === 0 ? 0 : 1
  },
}

export interface Examined {
  readonly name: string
  readonly finding: CheckResult
}

interface Examination {
  readonly begins?: (name: string) => void
  readonly ends?: (one: Examined) => void
}

/** All checks, one after the other. */
export async function examine({ begins, ends }: Examination = {}): Promise<readonly Examined[]> {
  const config = loadConfig()
  const examined: Examined[] = []
  for (const [name, check] of Object.entries(doctorChecks)) {
    begins?.(name)
    const one = { name, finding: await check(config).catch(unexpectedResult) }
    ends?.(one)
    examined.push(one)
  }
  return examined
}

function unexpectedResult(error: unknown): CheckResult {
  const { message } = error as Error
  return { state: 'fail', found: message.split('\n')[0]!, fix: '' }
}

function show(screen: TerminalScreen, name: string, finding: CheckResult): void {
  const { state, found } = finding
  if (state === 'ok') return screen.done(name, found)
  const text = finding.fix === '' ? found : `${found} – ${finding.fix}`
  if (state === 'warn') screen.trouble(name, text)
  else screen.failed(name, text)
}
