/** Scopes of API keys. A key without scopes may do everything that concerns its own tenant. */

export const keyScopes = {
  sessions: 'create, tag and end sessions; endpoints for their events',
  drive: 'drive the browsers: cdp_url, commands, tools, live views with control',
  view: 'look at live views',
  tasks: 'run web tasks, answer and follow them',
  files: 'uploads, downloads and files for agents',
  credentials: 'keep keys of AI models',
  metrics: 'read the figures of the service: /metrics',
  admin:
    'see and end sessions of every tenant (in the console also use them, with the other scopes of ' +
    'the key), make and revoke keys, drain hosts, read the audit and figures of the service',
} as const
export type KeyScope = keyof typeof keyScopes

export const keyScopeNames = Object.keys(keyScopes) as readonly KeyScope[]
/** The scopes of keys that were created without any: what concerns their tenant alone. */
export const tenantScopes: readonly KeyScope[] = keyScopeNames.filter(
  (name) => name !== 'admin' && name !== 'metrics',
)

export const isKeyScope = (text: string): text is KeyScope => Object.hasOwn(keyScopes, text)
