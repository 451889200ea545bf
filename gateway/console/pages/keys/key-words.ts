/** States and scopes of keys in words. */
import type { KeyScope } from '../../../../proto/accounts/key-scopes.ts'
import type { Tone } from '../../../html/parts.tsx'
import { plural } from '../../../html/plural.ts'
import type { KeyState } from '../../../service/admin/api-keys.ts'

export const keyStateWords: Readonly<
  Record<KeyState, { readonly tone: Tone; readonly label: string }>
> = {
  active: { tone: 'good', label: 'Active' },
  expired: { tone: 'quiet', label: 'Expired' },
  revoked: { tone: 'bad', label: 'Revoked' },
}

/** Labels of check boxes. */
export const scopeWords: Readonly<Record<KeyScope, string>> = {
  sessions: 'Create and end sessions, set up webhooks',
  drive: 'Drive browsers: CDP, commands, live views with control',
  view: 'Watch live views',
  tasks: 'Run web tasks and follow them',
  files: 'Upload and download files',
  credentials: 'Set up accounts with model providers',
  metrics: 'Read the metrics of the service (/metrics)',
  admin: 'Operate the service: all tenants, keys, hosts, audit',
}

export const sessionLimitWord = (max: number | undefined): string =>
  max === undefined ? 'No limit for this key' : `${plural(max, 'session')} at once`
