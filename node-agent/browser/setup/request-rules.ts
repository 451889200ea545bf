/**
 * Rules for requests that Chromium itself applies (`declarativeNetRequest`): headers that are added, and
 * what is not loaded. They do not intercept, so that a client's own routes work as without them.
 */
import type { Blocking } from '../../../proto/session/setup/blocking.ts'
import type { BrowserSetup } from '../../../proto/session/setup/browser-setup.ts'
import { adHosts, trackerHosts } from './ad-hosts.ts'

export interface RequestRule {
  readonly action:
    | { readonly type: 'block' }
    | { readonly type: 'modifyHeaders'; readonly requestHeaders: readonly SetHeader[] }
  readonly condition: {
    /** Absent: all types. */
    readonly resourceTypes?: readonly string[]
    readonly excludedResourceTypes?: readonly string[]
    readonly requestDomains?: readonly string[]
    readonly urlFilter?: string
  }
}

interface SetHeader {
  readonly header: string
  readonly operation: 'set'
  readonly value: string
}

export const requestRules = (setup: BrowserSetup): readonly RequestRule[] => [
  ...headerRules(setup),
  ...(setup.block ? blockingRules(setup.block) : []),
]

function headerRules({ secrets, httpCredentials }: BrowserSetup): readonly RequestRule[] {
  const { headers, password = '' } = secrets ?? {}
  const added = Object.entries(headers ?? {})
  const basic = `${httpCredentials?.username}:${password}`
  const login = `Basic ${Buffer.from(basic).toString('base64')}`
  return [
    ...(added.length > 0 ? [headersFor({}, added)] : []),
    ...(httpCredentials
      ? [headersFor({ urlFilter: `|${httpCredentials.origin}/` }, [['Authorization', login]])]
      : []),
  ]
}

const headersFor = (
  condition: RequestRule['condition'],
  headers: readonly (readonly [string, string])[],
): RequestRule => ({
  action: {
    type: 'modifyHeaders',
    requestHeaders: headers.map(([header, value]) => ({ header, operation: 'set', value })),
  },
  condition,
})

function blockingRules({ hosts, urls = [], ...kinds }: Blocking): readonly RequestRule[] {
  // A page of such a host may still be opened.
  const inPages = { excludedResourceTypes: ['main_frame'] }
  const types = [
    ...(kinds.images ? ['image'] : []),
    ...(kinds.media ? ['media'] : []),
    ...(kinds.fonts ? ['font'] : []),
  ]
  return [
    ...(kinds.ads ? [{ ...inPages, requestDomains: adHosts }] : []),
    ...(kinds.trackers ? [{ ...inPages, requestDomains: trackerHosts }] : []),
    ...(types.length > 0 ? [{ resourceTypes: types }] : []),
    ...(hosts ? [{ requestDomains: hosts }] : []),
    ...urls.map((urlFilter) => ({ urlFilter })),
  ].map((condition) => ({ action: { type: 'block' }, condition }))
}
