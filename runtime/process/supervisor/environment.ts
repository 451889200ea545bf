/** Selects the environment variables of a child: it gets no secret that it does not need. */
import { modelSettings } from '../../accounts/credentials/settings.ts'
import type { Setting } from '../../config/setting.ts'
import { opensSecrets } from '../../accounts/seal/shared-keys.ts'

const accounts = Object.entries(modelSettings as Readonly<Record<string, Setting<unknown>>>)
const secrets = new Set([
  'SEAL_KEY',
  ...accounts.filter(([, s]) => s.secret === 'always').map(([name]) => name),
])

export function environmentOf(child: string): NodeJS.ProcessEnv {
  if (opensSecrets(child)) return process.env
  const entries = Object.entries(process.env).filter(([name]) => !secrets.has(name))
  return Object.fromEntries(entries)
}
