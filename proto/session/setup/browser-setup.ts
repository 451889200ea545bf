/**
 * How a browser appears to pages, and what it lets them do: the options of a Playwright context, for
 * all pages, pop-ups, frames and workers of a session. `node-agent/browser/setup/README.md` tells how
 * each is applied.
 */
import { z } from 'zod'
import { defined } from '../../defined.ts'
import { blockingOf, blockSchema, type Blocking } from './blocking.ts'
import { devices, type DeviceShape } from './devices.ts'
import { maskConfiguration, maskOf, maskSchema, type SensitiveMask } from './masking.ts'
import { originSchema } from '../domain.ts'
import { sessionLimits } from '../limits.ts'

/** Names of the Permissions API that Chromium can grant. */
export const permissionNames = [
  'accelerometer',
  'background-sync',
  'camera',
  'clipboard-read',
  'clipboard-write',
  'geolocation',
  'gyroscope',
  'idle-detection',
  'local-fonts',
  'local-network-access',
  'magnetometer',
  'microphone',
  'midi',
  'midi-sysex',
  'notifications',
  'payment-handler',
  'persistent-storage',
  'screen-wake-lock',
  'storage-access',
  'window-management',
] as const
export type PermissionName = (typeof permissionNames)[number]

const printable = /^[\x20-\x7e]*$/

const localeSchema = z
  .string()
  .max(sessionLimits.localeChars)
  .refine(isLocale, 'must be a language tag such as de-DE')
  .describe('The language of pages, as a language tag: `de-AT`.')

const timeZoneSchema = z
  .string()
  .max(sessionLimits.timeZoneChars)
  .refine(isTimeZone, 'must be a time zone of the IANA database, such as Europe/Berlin')
  .describe('The time zone of pages: `Europe/Berlin`.')

const deviceName = z
  .string()
  .refine((name) => devices.has(name), { error: ({ input }) => unknownDevice(String(input)) })

const deviceValues = z.strictObject({
  width: z.number().int().min(200).max(7_680),
  height: z.number().int().min(200).max(4_320),
  scale: z.number().min(1).max(5).optional().describe('Device pixels in a CSS pixel; default 1.'),
  mobile: z
    .boolean()
    .optional()
    .describe('true: pages obey `<meta name=viewport>` and have no scroll bars.'),
  touch: z.boolean().optional().describe('true: a touch screen and no mouse.'),
})

const permissionName = z.enum(permissionNames)
const permissionSchema = z.union([
  permissionName,
  z.strictObject({
    name: permissionName,
    origin: originSchema.optional().describe('Default: all origins.'),
    setting: z.enum(['granted', 'denied']),
  }),
])

/** A browser sets these itself, or sends them to all hosts by other means. */
const ownHeaders =
  /^(host|connection|content-length|transfer-encoding|upgrade|te|trailer|keep-alive|cookie|origin|referer|(sec|proxy)-.*)$/i

const headersSchema = z
  .record(
    z
      .string()
      .max(sessionLimits.headerNameChars)
      .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of a header')
      .refine((name) => !ownHeaders.test(name), 'cannot be a header that the browser sets itself'),
    z.string().max(sessionLimits.headerValueChars).regex(printable, 'must be printable ASCII'),
  )
  .refine((headers) => Object.keys(headers).length <= sessionLimits.headersPerSession, {
    error: `must have at most ${sessionLimits.headersPerSession} headers`,
  })

/** These fields of `browser`. */
export const setupFields = {
  locale: localeSchema.optional(),
  timezone: timeZoneSchema.optional(),
  user_agent: z
    .string()
    .min(1)
    .max(sessionLimits.userAgentChars)
    .regex(printable, 'must be printable ASCII')
    .optional()
    .describe('The `User-Agent`; client hints follow it.'),
  color_scheme: z
    .enum(['light', 'dark'])
    .optional()
    .describe('What `prefers-color-scheme` says; default light.'),
  reduced_motion: z
    .enum(['reduce', 'no-preference'])
    .optional()
    .describe('What `prefers-reduced-motion` says; default no-preference.'),
  device: z
    .union([deviceName, deviceValues])
    .optional()
    .describe(
      'A device of Playwright’s list, such as `iPhone 15` or `Pixel 7 landscape`, or its values. ' +
        'A name also sets the user agent. `viewport` changes the size.',
    ),
  geolocation: z
    .strictObject({
      latitude: z.number().min(-90).max(90),
      longitude: z.number().min(-180).max(180),
      accuracy: z.number().min(0).optional().describe('Metres; default 0.'),
    })
    .optional()
    .describe('Where pages are that have the permission `geolocation`.'),
  permissions: z
    .array(permissionSchema)
    .max(sessionLimits.permissionsPerSession)
    .optional()
    .describe('What pages may do: names, granted to all origins, or objects. All else is denied.'),
  http_credentials: z
    .strictObject({
      origin: originSchema,
      username: z
        .string()
        .max(sessionLimits.loginValueChars)
        .regex(/^[^:\p{Cc}]*$/u, 'cannot contain a colon'),
      password: z
        .string()
        .max(sessionLimits.loginValueChars)
        .regex(/^\P{Cc}*$/u, 'must be printable'),
    })
    .optional()
    .describe('User name and password of HTTP Basic, sent with each request to the origin.'),
  ignore_https_errors: z
    .boolean()
    .optional()
    .describe('true accepts all certificates: expired, of other names, of unknown issuers.'),
  extra_http_headers: headersSchema
    .optional()
    .describe('Headers that are sent with each request, to all hosts.'),
  downloads: z
    .enum(['allow', 'deny'])
    .optional()
    .describe('deny: what a page offers as a download is not saved; default allow.'),
  block: blockSchema.optional().describe('What pages do not load.'),
  adblock: z
    .strictObject({ active: z.boolean() })
    .optional()
    .describe('true blocks ads, as `block.ads` does.'),
  webgl: z.boolean().optional().describe('false: pages have no WebGL; default true.'),
  disable_dialogs: z
    .strictObject({ active: z.boolean() })
    .optional()
    .describe(
      'true: what a page shows with alert, confirm or prompt is dismissed as it opens, and a page ' +
        'may always be left.',
    ),
  sensitive_data_mask: maskSchema
    .optional()
    .describe(
      'With active true, what pages show of passwords, cards, one-time codes and what you name is ' +
        'hidden: on screen, in pictures and recordings, and in the answers of commands.',
    ),
} as const

const setupSchema = z.object(setupFields)
type SetupBody = z.infer<typeof setupSchema>

export interface BrowserPermission {
  readonly name: PermissionName
  /** Absent: all origins. */
  readonly origin?: string
  readonly setting: 'granted' | 'denied'
}

export interface Geolocation {
  /** Degrees. */
  readonly latitude: number
  readonly longitude: number
  /** Metres. */
  readonly accuracy: number
}

/** Only what was asked for; stored with the session. */
export interface BrowserSetup {
  readonly locale?: string
  readonly timezone?: string
  readonly userAgent?: string
  readonly colorScheme?: 'light' | 'dark'
  readonly reducedMotion?: 'reduce' | 'no-preference'
  /** With the name that it was asked for by, and that device's user agent. */
  readonly device?: DeviceShape & { readonly name?: string; readonly userAgent?: string }
  readonly geolocation?: Geolocation
  readonly permissions?: readonly BrowserPermission[]
  readonly ignoreHttpsErrors?: true
  readonly deniesDownloads?: true
  readonly hasNoWebgl?: true
  readonly closesDialogs?: true
  readonly httpCredentials?: { readonly origin: string; readonly username: string }
  readonly headerNames?: readonly string[]
  readonly block?: Blocking
  readonly mask?: SensitiveMask
  /** Absent where sessions are stored and shown. */
  readonly secrets?: SetupSecrets
  /** In their place where sessions are stored: JSON of {@link SetupSecrets}, sealed. */
  readonly sealedSecrets?: string
}

export interface SetupSecrets {
  readonly password?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Undefined if nothing was asked for. */
export function setupOf(body: SetupBody): BrowserSetup | undefined {
  const { http_credentials: login, extra_http_headers: headers } = body
  const ads = (body.adblock?.active ?? false) || body.block?.ads
  const setup: BrowserSetup = defined({
    locale: body.locale,
    timezone: body.timezone,
    userAgent: body.user_agent,
    colorScheme: body.color_scheme,
    reducedMotion: body.reduced_motion,
    device: body.device === undefined ? undefined : deviceOf(body.device),
    geolocation: body.geolocation && {
      ...body.geolocation,
      accuracy: body.geolocation.accuracy ?? 0,
    },
    permissions: body.permissions?.map((one) =>
      typeof one === 'string' ? { name: one, setting: 'granted' as const } : permissionOf(one),
    ),
    ignoreHttpsErrors: body.ignore_https_errors === true ? true : undefined,
    deniesDownloads: body.downloads === 'deny' ? true : undefined,
    hasNoWebgl: body.webgl === false ? true : undefined,
    closesDialogs: body.disable_dialogs?.active === true ? true : undefined,
    block: blockingOf({ ...body.block, ads }),
    mask: maskOf(body.sensitive_data_mask),
    httpCredentials: login && { origin: login.origin, username: login.username },
    headerNames: headers && Object.keys(headers),
    secrets: login || headers ? defined({ password: login?.password, headers }) : undefined,
  })
  return Object.keys(setup).length === 0 ? undefined : setup
}

/** In the form of the creation body, without what is secret. */
export function setupConfiguration(setup: BrowserSetup): Record<string, unknown> {
  const { device } = setup
  return defined({
    locale: setup.locale,
    timezone: setup.timezone,
    user_agent: setup.userAgent,
    color_scheme: setup.colorScheme,
    reduced_motion: setup.reducedMotion,
    device: device?.name ?? device,
    geolocation: setup.geolocation,
    permissions: setup.permissions,
    http_credentials: setup.httpCredentials,
    ignore_https_errors: setup.ignoreHttpsErrors,
    extra_http_headers:
      setup.headerNames && Object.fromEntries(setup.headerNames.map((name) => [name, null])),
    downloads: setup.deniesDownloads && 'deny',
    block: setup.block,
    webgl: setup.hasNoWebgl && false,
    disable_dialogs: setup.closesDialogs && { active: true },
    sensitive_data_mask: setup.mask && maskConfiguration(setup.mask),
  })
}

interface WindowBody {
  readonly headless?: { readonly active: boolean } | undefined
  readonly viewport?: { readonly width?: number | undefined } | undefined
  readonly device?: SetupBody['device']
}

/** A window with a frame cannot be as narrow as a phone. */
export function isNarrowDesktop({ headless, viewport, device }: WindowBody = {}): boolean {
  const width = viewport?.width ?? (device === undefined ? undefined : deviceOf(device).width)
  return !headless?.active && width !== undefined && width < sessionLimits.desktopWidthMin
}

function deviceOf(asked: NonNullable<SetupBody['device']>): NonNullable<BrowserSetup['device']> {
  if (typeof asked === 'string') return { name: asked, ...devices.get(asked)! }
  const { width, height, scale = 1, mobile = false, touch = mobile } = asked
  return { width, height, scale, mobile, touch }
}

const permissionOf = ({ name, origin, setting }: Exclude<PermissionBody, string>) => ({
  ...{ name, setting },
  ...defined({ origin }),
})
type PermissionBody = NonNullable<SetupBody['permissions']>[number]

function isLocale(text: string): boolean {
  try {
    const isCanonical = Intl.getCanonicalLocales(text)[0] === text
    return isCanonical && /^[a-z]{2,3}(-|$)/.test(text) && !text.includes('-u-')
  } catch {
    // Not a language tag.
    return false
  }
}

function isTimeZone(text: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: text })
    return /^[A-Za-z]/.test(text)
  } catch {
    // Not a time zone.
    return false
  }
}

/** Names the ones that are alike, or else says where all are. */
function unknownDevice(name: string): string {
  const words = name.toLowerCase().match(/[a-z]+|\d+/g) ?? []
  const scored = [...devices.keys()].map((known) => {
    const parts: readonly string[] = known.toLowerCase().match(/[a-z]+|\d+/g) ?? []
    return { known, score: words.filter((word) => parts.includes(word)).length / parts.length }
  })
  const alike = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score)
  const some = alike.length > 0 ? alike.slice(0, 5).map(({ known }) => known) : usualDevices
  const others = devices.size - some.length
  return `must be a known device: ${some.join(', ')} or one of ${others} others`
}

const usualDevices = ['iPhone 15', 'Pixel 7', 'iPad Pro 11', 'Galaxy S24', 'Desktop Chrome']
