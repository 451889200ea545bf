/** The environment of services on a machine that cannot isolate browsers: they start all the same, public ones too. */
import { loadConfig } from '../../runtime/config.ts'
import { possibleIsolation } from '../../runtime/isolation/isolation.ts'

const { mode, sandbox } = possibleIsolation(loadConfig({}))

export const isolationHere: Readonly<Record<string, string>> = {
  ...(mode === 'none' && { ISOLATION_I_TRUST_ALL_KEYS: '1' }),
  ...(!sandbox && { CHROMIUM_SANDBOX: 'off' }),
}
