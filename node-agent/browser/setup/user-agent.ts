/**
 * What else a browser says of itself beside its user agent: client hints and `navigator.platform`.
 * Only Chromium and its relatives have client hints.
 */
import type { CdpParams } from '../../cdp/protocol.ts'

type UserAgentOverride = CdpParams<'Emulation.setUserAgentOverride'>
type Metadata = NonNullable<UserAgentOverride['userAgentMetadata']>

/**
 * `version`: of the browser itself, `150.0.7871.181`. Shared and service workers need empty hints to
 * have none.
 */
export function overrideOf(
  userAgent: string,
  version: string,
  isWorker: boolean,
): UserAgentOverride {
  const system = systems.find(({ pattern }) => pattern.test(userAgent)) ?? systems.at(-1)!
  const { platform } = system
  const [, major] = /Chrome\/(\d+)/.exec(userAgent) ?? []
  if (major === undefined) {
    return { userAgent, platform, ...(isWorker && { userAgentMetadata: noHints }) }
  }
  return { userAgent, platform, userAgentMetadata: metadataOf(userAgent, major, version, system) }
}

interface System {
  readonly pattern: RegExp
  readonly platform: string
  /** Its name in client hints. */
  readonly name: string
}

const systems: readonly System[] = [
  { pattern: /iPhone/, platform: 'iPhone', name: 'iOS' },
  { pattern: /iPad/, platform: 'iPad', name: 'iOS' },
  { pattern: /Android ([\d.]+)/, platform: 'Linux armv81', name: 'Android' },
  { pattern: /Windows NT ([\d.]+)/, platform: 'Win32', name: 'Windows' },
  { pattern: /Mac OS X ([\d_.]+)/, platform: 'MacIntel', name: 'macOS' },
  { pattern: /CrOS/, platform: 'Linux x86_64', name: 'Chrome OS' },
  { pattern: /./, platform: 'Linux x86_64', name: 'Linux' },
]

const noHints: Metadata = {
  ...{ brands: [], fullVersionList: [] },
  ...{ platform: '', platformVersion: '', architecture: '', model: '', mobile: false },
}

function metadataOf(
  userAgent: string,
  major: string,
  version: string,
  { pattern, name }: System,
): Metadata {
  const product = productOf(userAgent)
  const full = version.startsWith(`${major}.`) ? version : `${major}.0.0.0`
  const inBoth = [{ brand: 'Chromium' }, ...(product ? [{ brand: product }] : [])]
  const mobile = /\bMobile\b/.test(userAgent)
  const [, systemVersion = ''] = pattern.exec(userAgent) ?? []
  return {
    brands: [greased('8'), ...inBoth.map((brand) => ({ ...brand, version: major }))],
    fullVersionList: [greased('8.0.0.0'), ...inBoth.map((brand) => ({ ...brand, version: full }))],
    platform: name,
    platformVersion: dotted(systemVersion),
    architecture: name === 'Android' ? '' : 'x86',
    bitness: name === 'Android' ? '' : '64',
    model: name === 'Android' ? modelOf(userAgent) : '',
    mobile,
  }
}

/** As Chromium does, so that sites do not rely on the list. */
const greased = (version: string) => ({ brand: 'Not:A-Brand', version })

function productOf(userAgent: string): string | undefined {
  if (userAgent.includes('Edg/')) return 'Microsoft Edge'
  if (userAgent.includes('OPR/')) return 'Opera'
  return userAgent.includes('Chromium') ? undefined : 'Google Chrome'
}

/** `10_15_7` and `14` become `10.15.7` and `14.0.0`. */
function dotted(version: string): string {
  if (version === '') return ''
  const parts = version.split(/[._]/)
  return [...parts, '0', '0'].slice(0, Math.max(3, parts.length)).join('.')
}

/** `Pixel 7` in `(Linux; Android 14; Pixel 7)`. */
function modelOf(userAgent: string): string {
  const [, model = ''] = /Android [\d.]+; ([^;)]+)/.exec(userAgent) ?? []
  return model.replace(/ Build\/.*$/, '')
}
