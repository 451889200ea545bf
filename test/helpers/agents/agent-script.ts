/** Settings with which a service runs the scripted agent, and access to what the agent noted. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AgentCommand } from '../../../runtime/config/agent-settings.ts'
import type { AgentScript } from './scripted-agent.ts'
import { until } from '../lib/until.ts'

const program = fileURLToPath(new URL('./scripted-agent.js', import.meta.url))

export class Scripted {
  readonly command: AgentCommand
  readonly #folder = mkdtempSync(join(tmpdir(), 'troupe-diary-'))
  readonly #diary = join(this.#folder, 'diary')

  constructor(script: Omit<AgentScript, 'diary'>, env: Readonly<Record<string, string>> = {}) {
    const whole: AgentScript = { ...script, diary: this.#diary }
    this.command = {
      command: process.execPath,
      args: [program, JSON.stringify(whole)],
      env,
    }
  }

  /** Everything noted under that name, in order. */
  all<T>(what: string): T[] {
    if (!existsSync(this.#diary)) return []
    return readFileSync(this.#diary, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, T>)
      .flatMap((entry) => (what in entry ? [entry[what]!] : []))
  }

  first<T>(what: string): Promise<T> {
    return until(`the agent noted: ${what}`, () => this.all<T>(what)[0])
  }

  forget(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
