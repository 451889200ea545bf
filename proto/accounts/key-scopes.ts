/** Scopes of API keys. A key without scopes may do everything that concerns its own tenant. */

export const keyScopes = {
  sessions: 'create, tag and end sessions; manage webhooks for their events',
  drive: 'drive the browsers: cdp_url, commands, tools, live views with control',
  view: 'watch live views',
  tasks: 'run, answer and follow web tasks',
  files: 'transfer uploads, downloads and files for agents',
  credentials: 'manage accounts with model providers, and logins with sites',
  metrics: 'read the metrics of the service: /metrics',
  admin:
    'list and end sessions of every tenant (in the console also use them, with the other scopes of ' +
    'the key), create and revoke keys, drain hosts, read the audit and metrics of the service',
} as const
export type KeyScope = keyof typeof keyScopes

export const keyScopeNames = Object.keys(keyScopes) as readonly KeyScope[]
/** The scopes of keys that were created without any: what concerns their tenant alone. */
export const tenantScopes: readonly KeyScope[] = keyScopeNames.filter(
  (name) => name !== 'admin' && name !== 'metrics',
)

export const isKeyScope = (text: string): text is KeyScope => Object.hasOwn(keyScopes, text)
