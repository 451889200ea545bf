/**
 * What this machine says about names: /etc/hosts, and the search list of /etc/resolv.conf. Both are
 * read again when they have changed; a missing file is an empty one.
 */
import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { libLimits } from '../limits.ts'
import { canonicalHost } from './hosts.ts'

export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

export type HostsTable = ReadonlyMap<string, readonly ResolvedAddress[]>

export interface SearchRules {
  /** Domains that complete a name, in the order in which they are tried. */
  readonly domains: readonly string[]
  /** A name with fewer dots is tried as it is only after the domains. */
  readonly dotsLeast: number
}

export const hostsFile = (path = '/etc/hosts'): (() => HostsTable) => parsedFile(path, hostsIn)

export const searchFile = (path = '/etc/resolv.conf'): (() => SearchRules) =>
  parsedFile(path, searchIn)

function parsedFile<T>(path: string, parse: (text: string) => T): () => T {
  let known: { readonly version: string; readonly parsed: T } | undefined
  return () => {
    const version = versionOf(path)
    if (known?.version !== version) known = { version, parsed: parse(textOf(path)) }
    return known.parsed
  }
}

/** Read without the thread pool, in which a file system that hangs would hold up all look-ups. */
function versionOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat ? `${stat.ino} ${stat.mtimeMs} ${stat.size}` : ''
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // As for every resolver, a file that cannot be read says nothing.
    return ''
  }
}

const fieldsOf = (line: string, comment: RegExp): readonly string[] =>
  line
    .replace(comment, '')
    .split(/\s+/)
    .filter((field) => field !== '')

function hostsIn(text: string): HostsTable {
  const table = new Map<string, ResolvedAddress[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = fieldsOf(line, /#.*/)
    const family = isIP(address)
    if (family === 0) continue
    for (const name of names.map(canonicalHost)) {
      const found = table.get(name) ?? []
      const isNew = !found.some((one) => one.address === address)
      if (isNew && found.length < libLimits.addressesOfName) found.push({ address, family })
      table.set(name, found)
    }
  }
  return table
}

/** Of several `domain` and `search` lines, the last counts. */
function searchIn(text: string): SearchRules {
  let domains: readonly string[] = []
  let dotsLeast = 1
  for (const line of text.split('\n')) {
    const [key, ...values] = fieldsOf(line, /[#;].*/)
    if (key === 'search') domains = values
    if (key === 'domain') domains = values.slice(0, 1)
    if (key !== 'options') continue
    for (const value of values) {
      const dots = /^ndots:(\d{1,2})$/.exec(value)?.[1]
      if (dots !== undefined) dotsLeast = Math.min(Number(dots), libLimits.searchDotsMost)
    }
  }
  const named = domains.map(canonicalHost).filter((domain) => domain !== '')
  return { domains: named.slice(0, libLimits.searchDomains), dotsLeast }
}
