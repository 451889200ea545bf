/**
 * A session in the form of REST. Names and defaults are those of the browser-service contract;
 * options that Troupe does not have are refused by name (`unsupported_option`), never ignored.
 */
import { defined } from '../defined.ts'
import { z } from 'zod'
import { isNarrowDesktop, setupFields, setupOf, type BrowserSetup } from './setup/browser-setup.ts'
import type { BrowserUse, MadeRecording } from './browser-reports.ts'
import { domainSchema } from './domain.ts'
import { ServiceError } from '../errors.ts'
import { limits } from '../limits.ts'
import { sessionLimits } from './limits.ts'
import { extensionIds } from './extension.ts'
import { profileName, type ProfileOutcome, type SessionProfile } from './profile.ts'
import { storageStateSchema } from './storage-state.ts'

export const sessionMinutes = z
  .union([z.literal(-1), z.number().int().positive().max(525_600)])
  .describe('Minutes; -1 for no limit.')

/**
 * A feature of the contract that Troupe does not have: switching it off is accepted, switching it
 * on is refused.
 */
const unsupportedFeature = z.object({ active: z.literal(false) }).optional()

const toggle = (what: string) => z.strictObject({ active: z.boolean() }).describe(what).optional()

const flag = (what: string) => z.boolean().describe(what).optional()

const mustBeProxy = 'must look like http://host:port'

const customProxy = z.strictObject({
  active: z.boolean(),
  type: z.literal('custom'),
  server: z
    .string()
    .regex(/^(https?|socks[45]?):\/\/[^\s/@?#\\]+:\d{1,5}$/, { error: mustBeProxy, abort: true })
    .refine((url) => URL.canParse(url), mustBeProxy)
    .describe('PROTOCOL://HOST:PORT, where PROTOCOL is http, https, socks4 or socks5.'),
  username: z.string().optional(),
  password: z.string().optional(),
})
const noProxy = z.strictObject({ active: z.literal(false) })

export const tagList = z
  .array(z.string().min(1).max(sessionLimits.tagChars))
  .max(sessionLimits.tagsPerSession)
  .transform((tags) => [...new Set(tags)])

/** URL schemes that a caller may navigate a page to. */
export const addressSchemes = /^(https?|about|data)$/

const domainList = z.array(domainSchema).min(1).max(limits.taskDomains)

const initialUrl = z
  .url({ protocol: addressSchemes, error: 'must be an http, https, about or data URL' })
  .max(limits.urlBytes)

export const sessionCreateBody = z.strictObject({
  session: z
    .strictObject({
      initial_url: initialUrl.optional(),
      tags: tagList.optional(),
      timeout: z
        .strictObject({
          max_duration: sessionMinutes
            .optional()
            .describe(
              'Minutes from creation until the session ends (default 20); -1 for no limit.',
            ),
          idle_timeout: sessionMinutes
            .optional()
            .describe(
              'Minutes without a client or task until the session ends (default 5); -1 for no limit.',
            ),
        })
        .optional(),
      proxy: z.union([noProxy, customProxy]).optional(),
      network: z
        .strictObject({
          allow: domainList
            .describe('Domains that the session can reach. If absent, all domains.')
            .optional(),
          deny: domainList.describe('Domains that the session cannot reach.').optional(),
          allow_private: flag(
            'Whether the session can reach private networks; requires a key that allows it.',
          ),
        })
        .optional(),
      storage_state: storageStateSchema
        .optional()
        .describe(
          'Cookies, local storage and IndexedDB that the session begins with: a storageState of ' +
            'Playwright, or of GET …/storage-state.',
        ),
      recording: toggle(
        'true makes a video of the page in front; see GET …/recordings. Default false, unless the operator has set RECORD_SESSIONS.',
      ),
      live_view: z
        .strictObject({
          read_only: flag('true: live views can only watch, not control.'),
          one_time_url: flag(
            'true: each live_view_url works for the first viewer who opens it, and for nobody else.',
          ),
        })
        .optional(),
    })
    .optional(),
  browser: z
    .strictObject({
      headless: toggle('true: no display and no desktop; false (default): both.'),
      viewport: z
        .strictObject({
          width: z.number().int().min(200).max(7_680).optional(),
          height: z.number().int().min(200).max(4_320).optional(),
        })
        .optional(),
      fullscreen: toggle('true starts the window in full screen.'),
      disable_web_security: toggle('true disables the same-origin policy.'),
      pdf_viewer: toggle('true (default) shows PDFs in the page; false downloads them.'),
      popup_blocker: toggle('true (default) blocks pop-ups without a user gesture.'),
      profile: z
        .strictObject({
          name: profileName,
          persist: flag('true saves the profile when the session ends; default false.'),
          wait: z
            .number()
            .int()
            .min(0)
            .max(sessionLimits.profileWaitSeconds)
            .optional()
            .describe(
              'With persist: how many seconds to wait for a session that will save the profile; ' +
                'default 0, which is refused with 409.',
            ),
        })
        .optional()
        .describe(
          'Logins and other site data that the browser begins with, saved under this name by an ' +
            'earlier session. With persist, a new name begins empty.',
        ),
      evaluate: toggle(
        'true allows the command evaluate, which runs JavaScript in pages; default false.',
      ),
      tracing: toggle(
        'true records each command and the page after it, for GET …/trace; makes commands ' +
          'slower.',
      ),
      force_popups_as_tabs: toggle('true opens pop-up windows as tabs.'),
      extensions: extensionIds
        .optional()
        .describe('Ids of uploaded extensions (POST /v1/extensions) that the browser has.'),
      ...setupFields,
      captcha_solver: unsupportedFeature,
      p2p_download: unsupportedFeature,
      cross_origin_support: unsupportedFeature,
      extra_stealth: unsupportedFeature,
      web_bot_auth: unsupportedFeature,
    })
    .optional()
    .refine((browser) => !isNarrowDesktop(browser), {
      path: ['viewport', 'width'],
      error:
        `must be at least ${sessionLimits.desktopWidthMin} on a desktop; ` +
        'set browser.headless.active for a narrower page',
    }),
})

export type SessionCreateBody = z.infer<typeof sessionCreateBody>

/** Restrictions of a session's network beside those of the service. */
export interface SessionNetwork {
  /** In the syntax of `allowed_domains`; absent: every domain. */
  readonly allow?: readonly string[]
  readonly deny?: readonly string[]
  readonly allowPrivate?: boolean
}

export interface ProxyOptions {
  readonly server: string
  readonly username?: string
  readonly password?: string
  /** In place of the password where options are stored; absent from those of an older version. */
  readonly sealedPassword?: string
}

/**
 * The creation body with all defaults filled in, as the session actor and the node agent use it.
 */
export interface SessionOptions {
  readonly headless: boolean
  readonly viewport: { readonly width: number; readonly height: number }
  readonly initialUrl?: string
  /** Minutes; -1 means no limit. */
  readonly maxDurationMinutes: number
  readonly idleTimeoutMinutes: number
  readonly tags: readonly string[]
  readonly proxy?: ProxyOptions
  readonly network?: SessionNetwork
  readonly fullscreen: boolean
  readonly disableWebSecurity: boolean
  readonly pdfViewer: boolean
  readonly popupBlocker: boolean
  readonly popupsAsTabs: boolean
  readonly liveViewReadOnly: boolean
  /** Links to its live view are for one viewer each. */
  readonly liveViewOnce?: true
  /** Absent from sessions that are older than the option. */
  readonly evaluate?: boolean
  /** Absent from sessions that are older than the option. */
  readonly tracing?: boolean
  /** A video is made of the page in front. */
  readonly recording?: true
  /** A storage state follows the claim; the initial URL is opened after it. */
  readonly storageState?: true
  readonly profile?: SessionProfile
  readonly setup?: BrowserSetup
  /** Ids of the tenant's extensions. */
  readonly extensions?: readonly string[]
}

export const sessionDefaults = {
  viewport: { width: 1440, height: 900 },
  maxDurationMinutes: 20,
  idleTimeoutMinutes: 5,
} as const

export function sessionOptions(body: SessionCreateBody): SessionOptions {
  const { session = {}, browser = {} } = body
  const { proxy, network } = session
  const setup = setupOf(browser)
  const size = setup?.device ?? sessionDefaults.viewport
  return {
    headless: browser.headless?.active ?? false,
    viewport: {
      width: browser.viewport?.width ?? size.width,
      height: browser.viewport?.height ?? size.height,
    },
    ...defined({ initialUrl: session.initial_url }),
    maxDurationMinutes: session.timeout?.max_duration ?? sessionDefaults.maxDurationMinutes,
    idleTimeoutMinutes: session.timeout?.idle_timeout ?? sessionDefaults.idleTimeoutMinutes,
    tags: session.tags ?? [],
    ...(session.storage_state && { storageState: true }),
    ...(session.recording?.active && { recording: true }),
    ...(proxy?.active && {
      proxy: {
        server: proxy.server,
        ...defined({ username: proxy.username, password: proxy.password }),
      },
    }),
    ...(network && {
      network: {
        ...(network.allow && { allow: network.allow }),
        ...(network.deny && { deny: network.deny }),
        ...defined({ allowPrivate: network.allow_private }),
      },
    }),
    ...(browser.profile && {
      profile: {
        name: browser.profile.name,
        persist: browser.profile.persist ?? false,
        ...defined({ waitSeconds: browser.profile.wait }),
      },
    }),
    fullscreen: browser.fullscreen?.active ?? false,
    disableWebSecurity: browser.disable_web_security?.active ?? false,
    pdfViewer: browser.pdf_viewer?.active ?? true,
    popupBlocker: browser.popup_blocker?.active ?? true,
    popupsAsTabs: browser.force_popups_as_tabs?.active ?? false,
    liveViewReadOnly: session.live_view?.read_only ?? false,
    ...(session.live_view?.one_time_url && { liveViewOnce: true }),
    evaluate: browser.evaluate?.active ?? false,
    tracing: browser.tracing?.active ?? false,
    ...defined({ setup }),
    ...(browser.extensions?.length && { extensions: browser.extensions }),
  }
}

/**
 * `starting` and `ending` are short; `completed`, `failed` and `lost` are final. `running` is the
 * contract's term. `unreachable`: the browser's host has no contact with the service; the session
 * becomes `running` again or, after a grace period, `lost`.
 */
export const sessionStatuses = [
  'starting',
  'running',
  'unreachable',
  'ending',
  'completed',
  'failed',
  'lost',
] as const
export type SessionStatus = (typeof sessionStatuses)[number]

/** Whether it has a browser, which may be out of reach for a while. */
export const hasBrowser = (status: SessionStatus): boolean =>
  status === 'running' || status === 'unreachable'

const finalStatuses: readonly SessionStatus[] = ['completed', 'failed', 'lost']
export const isFinal = (status: SessionStatus): boolean => finalStatuses.includes(status)

/** Why a session ended; it also decides the close code of its sockets. */
export type EndReason =
  | 'deleted'
  | 'idle'
  | 'max_duration'
  | 'browser_closed'
  | 'browser_crashed'
  | 'out_of_resources'
  | 'node_lost'
  | 'draining'
  | 'caller_gone'
  | 'start_failed'
  | 'task_over'

interface SessionEnd {
  readonly reason?: EndReason | null
  readonly message?: string | null
}

/** The error for requests to a session that has ended or is about to. */
export function endedError({ reason, message }: SessionEnd): ServiceError {
  const why = message ?? reason ?? 'ended'
  return new ServiceError('session_ended', `The session has ended (${why}); create another one.`, {
    reason: reason ?? 'deleted',
  })
}

/** The error for a request that needs the browser of a session whose host is out of contact. */
export function unreachableError(): ServiceError {
  const text =
    'The browser’s host has lost contact with the service. The session goes on when the host is ' +
    'back, and ends as lost if it does not come back; try again in a moment.'
  return new ServiceError('unavailable', text, { reason: 'unreachable' })
}

/** WebSocket close codes by reason. A client's `Browser.close` is a normal closure. */
export const closeCodes: Readonly<Record<EndReason, number>> = {
  idle: 4001,
  max_duration: 4002,
  deleted: 4003,
  caller_gone: 4003,
  browser_closed: 1000,
  browser_crashed: 4010,
  out_of_resources: 4013,
  start_failed: 4010,
  task_over: 4003,
  node_lost: 4011,
  draining: 4012,
}

/** The close code of a socket that broke while the browser's host is out of contact. */
export const unreachableCode = 4014

/** Hashes of one-time links to the live view that were opened, each with a hash of its viewer. */
export type UsedLinks = Readonly<Record<string, string>>

/**
 * The public record of a session in KV `views`: no secrets, no addresses. Times are wall-clock ms.
 */
export interface SessionView {
  readonly id: string
  readonly tenant: string
  readonly status: SessionStatus
  readonly reason?: EndReason
  /** One sentence for a person, if there is more to say than the reason. */
  readonly message?: string
  readonly createdAtMs: number
  readonly endedAtMs?: number
  /** Set while it is `unreachable`. */
  readonly unreachableSinceMs?: number
  readonly expiresAtMs?: number
  /** Set while nothing is connected. */
  readonly idleExpiresAtMs?: number
  readonly keyId: string
  readonly keyName: string
  /** Created by the official SDK, which follows its tasks without a key. */
  readonly madeBySdk?: true
  readonly tags: readonly string[]
  /** Number of times that all links to its live view were invalidated; absent: 0. */
  readonly liveGeneration?: number
  /** Absent before the first one is opened. */
  readonly usedLinks?: UsedLinks
  /** The options of creation, without a proxy's password. */
  readonly options: SessionOptions
  readonly profile?: ProfileOutcome
  /** Once its video is made. */
  readonly recording?: MadeRecording
  /** As its agent has told last. */
  readonly use?: BrowserUse
  readonly nodeId?: string
}
