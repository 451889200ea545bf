/** Formats processes, browsers and the store for the console. */
import type { BoundsKind, HostRecord, IsolationMode } from '../../../../proto/host.ts'
import type { Role } from '../../../../proto/ids.ts'
import type { Tone } from '../../../html/parts.tsx'

export const roleWords: Readonly<Record<Role, string>> = {
  gateway: 'Gateway',
  actors: 'Actor host',
  'node-agent': 'Browser host',
}

const isolationWords: Readonly<Record<IsolationMode, string>> = {
  full: 'Isolated: files, processes and network',
  namespaces: 'Isolated: files and processes',
  none: 'Not isolated',
}

const boundsWords: Readonly<Record<BoundsKind, string>> = {
  kernel: 'limits kept by the kernel',
  checks: 'limits checked every two seconds',
}

/** With what is missing, and why. */
export const isolationWord = ({
  isolation,
  isolationLacks = [],
  bounds,
}: Pick<HostRecord, 'isolation' | 'isolationLacks' | 'bounds'>): string | undefined =>
  isolation &&
  [isolationWords[isolation], ...isolationLacks, ...(bounds ? [boundsWords[bounds]] : [])].join(
    '; ',
  )

interface Word {
  readonly tone: Tone
  readonly label: string
}

const noContact: Word = { tone: 'bad', label: 'No contact' }

export function processState({ state }: Pick<HostRecord, 'state'>): Word {
  if (state === 'silent') return noContact
  return state === 'draining'
    ? { tone: 'wait', label: 'Draining' }
    : { tone: 'good', label: 'Running' }
}

/** Whether the host accepts new sessions. */
export function browserHostState({ state, browsers }: HostRecord): Word {
  if (state === 'silent') return noContact
  if (state === 'draining') return { tone: 'wait', label: 'Draining' }
  if (!browsers) return { tone: 'wait', label: 'Starting' }
  if (!browsers.ready) return { tone: 'bad', label: 'Not ready' }
  return browsers.claimed >= browsers.capacity
    ? { tone: 'wait', label: 'Full' }
    : { tone: 'good', label: 'Ready' }
}

/** The contents of each stream of the store. */
const contents: Readonly<Record<string, string>> = {
  LOG: 'Logs of sessions and tasks',
  STEPS: 'Steps of tasks',
  PICTURES: 'Pictures of tasks',
  AUDIT: 'Audit of scoped access',
  CHECKPOINTS: 'Checkpoints of that audit',
  NOTES: 'Notes for that audit',
  ACCESS: 'Reads in scoped access',
  SERVICE_AUDIT: 'Audit of the service',
  KV_hosts: 'Processes',
  KV_owners: 'Owners of sessions and tasks',
  KV_keys: 'Keys',
  KV_views: 'Lists of sessions and tasks',
  KV_credentials: 'Accounts with model providers',
  KV_logins: 'Logins to model providers',
  KV_names: 'Names in scoped access',
  KV_audit: 'State of the audit of scoped access',
  KV_idempotency: 'Stored responses of idempotent requests',
  KV_records: 'Records of scoped access',
  KV_deliveries: 'Deliveries of webhooks',
}

export const streamWord = (stream: string): string => contents[stream] ?? stream
